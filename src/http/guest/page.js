// The page of a guest in the browser: what is new, sharing, copying. The picture and its download work without it.
// The server makes what is shown; here only the part that changed is taken over.
const main = document.querySelector('main')
const base = location.pathname.replace(/\/$/, '')
const fileOf = figure =>
  fetch(figure.dataset.file)
    .then(answer => answer.blob())
    .then(blob => new File([blob], figure.dataset.name, { type: blob.type }))
function dress() {
  for (const button of document.querySelectorAll('button[hidden]')) {
    if (button.name === 'share' && !navigator.share) continue
    if (button.name === 'copy' && !navigator.clipboard) continue
    button.hidden = false
  }
}
addEventListener('click', async event => {
  const button = event.target.closest('button')
  if (!button) return
  const figure = button.closest('figure')
  if (button.name === 'copy') {
    await navigator.clipboard.writeText(main.dataset.share)
    button.textContent = button.dataset.done
  }
  if (button.name === 'share') {
    try {
      const file = await fileOf(figure)
      const files = navigator.canShare?.({ files: [file] }) ? { files: [file] } : { url: main.dataset.share }
      await navigator.share({ title: document.title, ...files })
    } catch (error) {
      if (error.name !== 'AbortError')
        navigator.share({ title: document.title, url: main.dataset.share }).catch(() => {})
    }
  }
})
/** A picture that could not be made just now is asked for again. */
const asked = new WeakSet()
async function again(media, address, show) {
  if (asked.has(media)) return
  asked.add(media)
  for (let turn = 0; turn < 20 && media.isConnected; turn++) {
    const answer = await fetch(address, { method: 'HEAD' }).catch(() => null)
    if (answer?.ok) return show()
    const seconds = Number(answer?.headers.get('retry-after'))
    if (!seconds) return
    await new Promise(resolve => setTimeout(resolve, 1000 * seconds))
  }
}
function askAgain() {
  for (const image of main.querySelectorAll('img')) {
    const failed = () =>
      again(image, image.currentSrc || image.src, () => {
        image.srcset += ''
        image.src += ''
      })
    image.addEventListener('error', failed)
    if (image.complete && image.naturalWidth === 0) failed()
  }
  // Nobody hears of a poster that could not be fetched.
  for (const video of main.querySelectorAll('video[poster]')) {
    const poster = new Image()
    poster.onerror = () =>
      again(video, video.poster, () => {
        video.poster += ''
      })
    poster.src = video.poster
  }
}
// A reload asks for the page, and does not send the form again.
history.replaceState(null, '', location.href)
let mark = main.dataset.mark
async function renew() {
  const answer = await fetch(`${base}?part=main`)
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const known = new Map([...main.children].map(figure => [figure.id, figure]))
  const next = page.querySelector('main')
  if (!next || !answer.ok) return location.reload()
  main.replaceChildren(
    ...[...next.children].map(figure => {
      const old = known.get(figure.id)
      return old && old.dataset.state === figure.dataset.state ? old : figure
    }),
  )
  mark = next.dataset.mark
  dress()
  askAgain()
}
const events = new EventSource(`${base}/events`)
events.addEventListener('state', event => {
  const { mark: now, files } = JSON.parse(event.data)
  for (const { number, progress, left } of files) {
    const figure = document.getElementById(`file-${number}`)
    const bar = figure?.querySelector('progress')
    if (bar) bar.value = progress
    const words = figure?.querySelector('.left')
    if (words) words.textContent = left
  }
  if (now !== mark) renew()
})
events.addEventListener('gone', () => location.reload())
dress()
askAgain()
