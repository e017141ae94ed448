// A multipart/form-data body around a file, without ever holding the file.
import { randomBytes } from 'node:crypto'
import type { FileRange, Pieces } from '#kit/net/outbound.ts'

interface FilePart {
  field: string
  fileName: string
  mime: string
  range: FileRange
}

interface Form {
  contentType: string
  body: Pieces
}

/** Names are escaped as browsers do it. */
const escaped = (name: string): string => name.replace(/\r\n?|\n/g, '%0D%0A').replaceAll('"', '%22')

export function multipartForm(fields: Record<string, string>, { field, fileName, mime, range }: FilePart): Form {
  const boundary = `keepsake-${randomBytes(18).toString('base64url')}`
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"\r\n\r\n${value}\r\n`,
  )
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(field)}"; filename="${escaped(fileName)}"\r\nContent-Type: ${mime}\r\n\r\n`
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: [Buffer.from(texts.join('') + head), range, Buffer.from(`\r\n--${boundary}--\r\n`)],
  }
}
