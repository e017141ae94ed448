// Where the inputs of one request come from besides its own files: URLs, and uploads that came before.
import type { Access } from '#access/scopes.ts'
import { badField } from '#kit/errors.ts'
import type { Outbound } from '#kit/net/outbound.ts'
import { type ResumableServices, readWholeUpload, type UploadedFile } from '#uploads/resumable-uploads.ts'
import type { UsedUploads } from '#uploads/use-uploads.ts'

export interface InputSources {
  outbound: Outbound
  uploaded: {
    /** `field` is the part of the request that names the upload. */
    read(id: string, field: string): Promise<UploadedFile>
    /** Those that were read, for the transaction that accepts the task. */
    used: UsedUploads
  }
}

type SourceServices = ResumableServices & { outbound: Outbound }

export function newInputSources(services: SourceServices, { tokenId }: Access): InputSources {
  const fields = new Map<string, string>()
  return {
    outbound: services.outbound,
    uploaded: {
      async read(id, field) {
        const file = await readWholeUpload(services, tokenId, id, field)
        const first = fields.get(file.blob)
        if (first !== undefined) throw badField(field, `names the same upload as ${first}; each is used once`)
        fields.set(file.blob, field)
        return file
      },
      used: { tokenId, fields },
    },
  }
}
