// Everything else that the service keeps: configurations, assets, guests, callbacks, experiences, tokens, the record of changes.

import type { OwnAdapter, OwnConfiguration } from './added-types.ts'
import type * as api from './api-types.ts'
import { type CallOptions, type Connection, ifMatch, inPath } from './connection.ts'
import { Download, type DownloadOptions } from './files.ts'
import { type List, listOf, type PageOptions } from './pages.ts'
import { type Extras, Parts, type Sender, type SendOptions } from './parts.ts'

/** A write that must not meet a change of others is given what was read (or its ETag): 412 otherwise. */
export interface WriteOptions extends CallOptions {
  ifMatch?: string | object | undefined
}

/** With `dryRun` every check runs and nothing is stored. */
export interface SaveOptions extends WriteOptions {
  dryRun?: boolean | undefined
}

type Paged<T> = T & PageOptions

const written = ({ ifMatch: seen, ...options }: WriteOptions) => ({ ...options, headers: ifMatch(seen) })
const saved = ({ dryRun, ...options }: SaveOptions) => ({ ...written(options), query: { dry_run: dryRun } })

/** For the configurations of adapters that do not ship with the service. */
export const ownAdapter = (name: string): OwnAdapter => name as OwnAdapter

/** What can be listed and read one by one. */
class Readable<T, Filters extends object> {
  protected readonly connection: Connection
  protected readonly path: string

  constructor(connection: Connection, path: string) {
    this.connection = connection
    this.path = path
  }

  protected of(name: string): string {
    return `${this.path}${inPath(name)}/`
  }

  list(filters?: Paged<Filters>, options: CallOptions = {}): List<T> {
    return listOf(this.connection, this.path, { ...filters }, options)
  }

  get(name: string, options: CallOptions = {}): Promise<T> {
    return this.connection.json('GET', this.of(name), options)
  }
}

/** What keeps its earlier versions, and can be had back for a while after it was deleted. */
class Versioned<T, Filters extends object, Version> extends Readable<T, Filters> {
  async delete(name: string, options: WriteOptions = {}): Promise<void> {
    await this.connection.json('DELETE', this.of(name), written(options))
  }

  /** Brings back what was deleted within 30 days. */
  undelete(name: string, options: CallOptions = {}): Promise<T> {
    return this.connection.json('POST', `${this.of(name)}undelete/`, options)
  }

  versions(name: string, page: PageOptions = {}, options: CallOptions = {}): List<Version> {
    return listOf(this.connection, `${this.of(name)}versions/`, { ...page }, options)
  }

  /** Makes an earlier version the current one. */
  restore(name: string, version: number | string, options: CallOptions = {}): Promise<T> {
    return this.connection.json('POST', `${this.of(name)}versions/${inPath(String(version))}/restore/`, options)
  }
}

export class Configurations<F> extends Versioned<
  api.Configuration,
  api.ConfigurationFilters,
  api.ConfigurationVersion
> {
  readonly #sender: Sender<F>
  constructor(sender: Sender<F>) {
    super(sender.connection, '/api/configuration/')
    this.#sender = sender
  }

  create(
    configuration: api.ConfigurationInput | OwnConfiguration,
    options: Omit<SaveOptions, 'ifMatch'> = {},
  ): Promise<api.Configuration> {
    return this.connection.json('POST', this.path, { ...saved(options), json: configuration })
  }

  /** Makes it what is given, whole. */
  replace(
    name: string,
    configuration: api.ConfigurationReplacement | OwnConfiguration,
    options: SaveOptions = {},
  ): Promise<api.Configuration> {
    return this.connection.json('PUT', this.of(name), { ...saved(options), json: configuration })
  }

  /** A merge patch: objects are merged, null removes, everything else replaces. */
  change(name: string, patch: api.ConfigurationPatch, options: SaveOptions = {}): Promise<api.Configuration> {
    return this.connection.json('PATCH', this.of(name), { ...saved(options), json: patch })
  }

  /** Tries options, assets, destinations and the webhook before the doors open. */
  async check(name: string, options: CallOptions = {}): Promise<{ ok: boolean; what: string; detail: string }[]> {
    type Checked = { lines: { ok: boolean; what: string; detail: string }[] }
    return (await this.connection.json<Checked>('POST', `${this.of(name)}check/`, options)).lines
  }

  /** What it makes of a file, at once; destinations are left out. */
  async preview(
    name: string,
    file: F,
    { full, extras, ...options }: CallOptions & { full?: boolean; extras?: Extras } = {},
  ): Promise<Blob> {
    const { blob, close } = await this.#sender.open(file)
    const made = this.connection.bytes('POST', `${this.of(name)}preview/`, {
      ...options,
      query: { full },
      body() {
        const form = new FormData()
        if (extras !== undefined) form.append('extras', JSON.stringify(extras))
        form.append('data', blob)
        return form
      },
      bodyBytes: blob.size,
      repeatable: true,
    })
    return await made.finally(close)
  }
}

export class Assets<F> extends Versioned<api.Asset, api.AssetFilters, api.AssetVersion> {
  readonly #sender: Sender<F>
  constructor(sender: Sender<F>) {
    super(sender.connection, '/api/asset/')
    this.#sender = sender
  }

  async create(
    asset: { name: string; experience_id?: string; file: F },
    options: Pick<SendOptions, keyof CallOptions | 'onProgress'> = {},
  ): Promise<api.Asset> {
    const parts = new Parts(this.#sender).text('name', asset.name).text('experience_id', asset.experience_id)
    await parts.file('file', asset.file)
    return await parts.send('POST', this.path, options)
  }

  /** Tasks that were accepted before keep the file of before. */
  async replace(name: string, file: F, { ifMatch: seen, ...options }: WriteOptions = {}): Promise<api.Asset> {
    const parts = await new Parts(this.#sender).file('file', file)
    return await parts.send('PUT', this.of(name), options, { headers: ifMatch(seen) })
  }

  file(name: string, options: DownloadOptions = {}): Download {
    return new Download(this.connection, `${this.of(name)}file/`, options)
  }
}

export class Profiles extends Readable<api.Profile, api.ProfileFilters> {
  constructor(connection: Connection) {
    super(connection, '/api/profile/')
  }

  create(profile: api.ProfileInput, options: CallOptions = {}): Promise<api.Profile> {
    return this.connection.json('POST', this.path, { ...options, json: profile })
  }

  change(id: string, patch: api.ProfilePatch, options: WriteOptions = {}): Promise<api.Profile> {
    return this.connection.json('PATCH', this.of(id), { ...written(options), json: patch })
  }

  /** Erases the person. With `media: 'retract'` what was made and delivered is taken back, and the answer tells what became of it. */
  async delete(
    id: string,
    { media, shared, ...options }: WriteOptions & { media?: 'retract'; shared?: 'keep' | 'erase' } = {},
  ): Promise<api.Erasure | null> {
    const query = { media, shared }
    return (await this.connection.json<api.Erasure>('DELETE', this.of(id), { ...written(options), query })) ?? null
  }
}

export class Erasures {
  protected readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }

  /** The signed receipt as it is now; it grows until all targets are reached or given up. */
  get(id: string, options: CallOptions = {}): Promise<api.ErasureReceipt> {
    return this.connection.json('GET', `/api/erasure/${encodeURIComponent(id)}/`, options)
  }

  /** The public key that proves receipts. */
  key(options: CallOptions = {}): Promise<api.ErasureKey> {
    return this.connection.json('GET', '/api/erasure/key/', options)
  }
}

export class Activities extends Readable<api.Activity, api.ActivityFilters> {
  constructor(connection: Connection) {
    super(connection, '/api/activity/')
  }
}

export class Callbacks extends Readable<api.Callback, api.CallbackFilters> {
  constructor(connection: Connection) {
    super(connection, '/api/callback/')
  }

  /** Sends it again: the same id, the same body. */
  resend(id: string, options: CallOptions = {}): Promise<api.Callback> {
    return this.connection.json('POST', `${this.of(id)}resend/`, options)
  }

  /** Sends all again that the filter finds; without a status those that were given up. */
  resendMany(
    filters: api.CallbackFilters = {},
    { dryRun, ...options }: CallOptions & { dryRun?: boolean } = {},
  ): Promise<{ count?: number; resent?: number }> {
    const json = { ...filters, ...(dryRun ? { dry_run: true } : {}) }
    return this.connection.json('POST', `${this.path}resend/`, { ...options, json, repeatable: dryRun === true })
  }
}

export class Experiences extends Readable<api.Experience, api.ExperienceFilters> {
  constructor(connection: Connection) {
    super(connection, '/api/experience/')
  }

  create(experience: api.ExperienceInput, options: CallOptions = {}): Promise<api.Experience> {
    return this.connection.json('POST', this.path, { ...options, json: experience })
  }

  change(id: string, patch: api.ExperiencePatch, options: WriteOptions = {}): Promise<api.Experience> {
    return this.connection.json('PATCH', this.of(id), { ...written(options), json: patch })
  }

  /** Makes a new webhook secret; for 24 hours both sign. */
  rotateSecret(id: string, options: CallOptions = {}): Promise<api.Experience> {
    return this.connection.json('POST', `${this.of(id)}rotate-secret/`, options)
  }
}

export class Tokens extends Readable<api.Token, object> {
  constructor(connection: Connection) {
    super(connection, '/api/token/')
  }

  /** The answer holds the token itself, this once. */
  create(token: api.TokenInput, options: CallOptions = {}): Promise<api.NewToken> {
    return this.connection.json('POST', this.path, { ...options, json: token })
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.connection.json('DELETE', this.of(id), options)
  }
}

export class Adapters extends Readable<api.Adapter, object> {
  constructor(connection: Connection) {
    super(connection, '/api/adapter/')
  }

  /** The fonts that their texts can be set in. */
  fonts(options: CallOptions = {}): List<api.Font> {
    return listOf(this.connection, '/api/font/', {}, options)
  }
}

/** Who changed what, and when. */
export class Audit {
  readonly #connection: Connection
  constructor(connection: Connection) {
    this.#connection = connection
  }

  list(filters: Paged<api.AuditEventFilters> = {}, options: CallOptions = {}): List<api.AuditEvent> {
    return listOf(this.#connection, '/api/audit/', { ...filters }, options)
  }
}
