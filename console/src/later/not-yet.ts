// Not yet is not never: what a busy service can't make just now is asked for again by itself.

/** So often, before it is told that there is nothing. */
const MOST = 20

const waited = (seconds: number): Promise<void> => new Promise(resolve => setTimeout(resolve, 1000 * seconds))

/** Asks as long as the service answers when to come again; its last answer is handed on. */
export async function askedUntil(
  ask: () => Promise<Response>,
  isWanted: () => boolean,
  wait: (seconds: number) => Promise<void> = waited,
): Promise<Response> {
  for (let turn = 1; ; turn++) {
    const answer = await ask()
    const seconds = Number(answer.headers.get('retry-after'))
    if ((answer.status !== 503 && answer.status !== 429) || !seconds || turn === MOST || !isWanted()) return answer
    await wait(seconds)
  }
}

/** Pictures that the service makes; files that are there need no second look. */
const isMade = (src: string): boolean => src.startsWith(`${location.origin}/`) && /\/thumbnail\/|[?&]size=/.test(src)

/** Of every picture of the page: one that fails is asked for again before anybody hears of it. */
export function askAgainForPictures(): void {
  const asked = new WeakMap<HTMLImageElement, string>()
  document.addEventListener(
    'error',
    event => {
      const image = event.target
      if (!(image instanceof HTMLImageElement) || !isMade(image.src) || asked.get(image) === image.src) return
      const { src } = image
      const isWanted = () => image.isConnected && image.src === src
      asked.set(image, src)
      event.stopPropagation()
      const tell = (): boolean => image.dispatchEvent(new Event('error'))
      askedUntil(() => fetch(src, { method: 'HEAD' }), isWanted).then(({ ok }) => {
        if (!isWanted()) return
        if (ok) image.src = src
        else tell()
      }, tell)
    },
    true,
  )
}
