// Reads server-sent events, as the HTML standard describes them.
import { KeepsakeError } from './errors.ts'

export interface ServerEvent {
  event: string
  data: string
  id: string
}

const LONGEST_EVENT = 32 * 1024 ** 2

/** Splits text that comes in pieces into lines, ended by CR LF, LF or CR. */
class Lines {
  #rest = ''
  #sawReturn = false

  push(piece: string): string[] {
    let text = piece
    // The LF of a CR LF that was cut in two.
    if (this.#sawReturn && text.startsWith('\n')) text = text.slice(1)
    if (text !== '') this.#sawReturn = text.endsWith('\r')
    const lines = (this.#rest + text).split(/\r\n|\n|\r/)
    this.#rest = lines.pop() ?? ''
    if (this.#rest.length > LONGEST_EVENT) throw tooLong()
    return lines
  }
}

const tooLong = (): KeepsakeError => new KeepsakeError('unexpected_answer', 'An event is too long.')

/** Every event of a body until it ends; `sign` is called at every piece, also of comments. */
export async function* eventsOf(body: ReadableStream<Uint8Array>, sign: () => void): AsyncGenerator<ServerEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const lines = new Lines()
  let [event, data, id, size] = ['', [] as string[], '', 0]
  try {
    for (;;) {
      const { done, value } = await reader.read()
      // An event that was not ended by an empty line is not whole.
      if (done) return
      sign()
      for (const line of lines.push(decoder.decode(value, { stream: true }))) {
        if (line === '') {
          if (data.length > 0) yield { event: event || 'message', data: data.join('\n'), id }
          event = ''
          data = []
          size = 0
          continue
        }
        const [name, text] = fieldOf(line)
        size += text.length
        if (size > LONGEST_EVENT) throw tooLong()
        if (name === 'event') event = text
        else if (name === 'data') data.push(text)
        else if (name === 'id' && !text.includes('\0')) id = text
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function fieldOf(line: string): [name: string, text: string] {
  const colon = line.indexOf(':')
  if (colon < 0) return [line, '']
  const text = line.slice(colon + 1)
  return [line.slice(0, colon), text.startsWith(' ') ? text.slice(1) : text]
}
