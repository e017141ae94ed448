// Checks the headers of the tus protocol, each with a sentence of its own, before anything is done.
import { Metadata, TUS_RESUMABLE } from '@tus/server'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { badField, Problem } from '#kit/errors.ts'
import { isStorable } from '#kit/text.ts'
import { PIECE_TYPE } from './client-deadlines.ts'

export type TusMethod = 'POST' | 'HEAD' | 'PATCH' | 'DELETE'

/** All that an upload tells of itself, encoded. */
const METADATA_LENGTH = 4096
const FILE_NAME_LENGTH = 255

/** For the reference; `checkTusHeaders` checks them. */
export const tusHeaders = {
  version: {
    'Tus-Resumable': Type.String({ description: 'The version of the protocol.', examples: [TUS_RESUMABLE] }),
  },
  creation: {
    'Upload-Length': Type.Optional(
      Type.String({ description: 'Bytes of the whole file. This or `Upload-Defer-Length`.', examples: ['73400320'] }),
    ),
    'Upload-Defer-Length': Type.Optional(
      Type.String({ description: '`1`: the length is told later, with a PATCH.', examples: ['1'] }),
    ),
    'Upload-Metadata': Type.Optional(
      Type.String({
        description: `Pairs of a key and a value in Base64, with commas between; ${METADATA_LENGTH} characters at most. \`filename\` is the name of the file, of ${FILE_NAME_LENGTH} characters at most.`,
        examples: ['filename Y2xpcC5tcDQ='],
      }),
    ),
  },
  piece: {
    'Upload-Offset': Type.String({ description: 'Where the bytes belong: as many as are there already.' }),
    'Upload-Length': Type.Optional(Type.String({ description: 'Bytes of the whole file, if not told before.' })),
  },
}

/** Throws unless the request keeps to the protocol. What depends on the upload is checked later. */
export function checkTusHeaders({ headers, raw }: FastifyRequest, method: TusMethod): void {
  const given = (name: string): string | undefined => [headers[name]].flat()[0]
  if (given('tus-resumable') !== TUS_RESUMABLE)
    throw new Problem('wrong_tus_version', `Send the header "Tus-Resumable: ${TUS_RESUMABLE}" with every request here.`)
  for (const name of ['upload-concat', 'upload-checksum'])
    if (given(name) !== undefined) throw badField(titled(name), 'is of an extension of tus that is not offered here')
  for (const name of ['upload-length', 'upload-offset']) {
    const value = given(name)
    if (value !== undefined && !/^(0|[1-9]\d{0,14})$/.test(value))
      throw badField(titled(name), 'must be a whole number of bytes, like 1048576')
  }
  const type = given('content-type')
  if (method === 'POST') {
    const [length, later] = [given('upload-length'), given('upload-defer-length')]
    if (later !== undefined && later !== '1') throw badField('Upload-Defer-Length', 'must be 1')
    if ((length === undefined) === (later === undefined))
      throw badField('Upload-Length', 'one of Upload-Length and "Upload-Defer-Length: 1" is needed')
    readMetadata(given('upload-metadata'))
    const hasBody = Number(given('content-length') ?? 0) > 0 || raw.headers['transfer-encoding'] !== undefined
    if (hasBody && type !== PIECE_TYPE) throw wrongType()
  }
  if (method === 'PATCH') {
    if (type !== PIECE_TYPE) throw wrongType()
    if (given('upload-offset') === undefined)
      throw badField('Upload-Offset', 'is needed: as many bytes as are there already, which HEAD tells')
  }
}

const wrongType = (): Problem =>
  new Problem('wrong_content_type', `Bytes of an upload are sent with "Content-Type: ${PIECE_TYPE}".`)

const titled = (name: string): string => name.replace(/\b[a-z]/g, letter => letter.toUpperCase())

function readMetadata(header: string | undefined): void {
  const field = 'Upload-Metadata'
  if (header === undefined || header === '') return
  if (header.length > METADATA_LENGTH) throw badField(field, `may have ${METADATA_LENGTH} characters at most`)
  const metadata = parsed(header)
  if (metadata === null)
    throw badField(
      field,
      'must be pairs of a key and a value in Base64 with commas between, like "filename Y2xpcC5tcDQ="',
    )
  for (const [key, value] of Object.entries(metadata))
    if (value !== null && !isStorable(value)) throw badField(`${field}.${key}`, 'holds a NUL, which is no text')
  const { filename } = metadata
  if (typeof filename !== 'string') return
  if (filename.length > FILE_NAME_LENGTH)
    throw badField(`${field}.filename`, `may have ${FILE_NAME_LENGTH} characters at most`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f\ufffd]/.test(filename))
    throw badField(`${field}.filename`, 'must be a name in UTF-8 without control characters')
}

function parsed(header: string): Record<string, string | null> | null {
  try {
    return Metadata.parse(header)
  } catch {
    return null
  }
}
