// The contract of an adapter: what it declares, and the one working form it has.
import type { Static, TSchema } from 'typebox'
import type { FieldError } from '#kit/errors.ts'
import type { FileFacts, Medium } from '#kit/file-facts.ts'
import type { JsonObject } from '#kit/json.ts'
import type { Outbound } from '#kit/net/outbound.ts'
import type { Asked, Before } from '#media/file/asked.ts'
import type { MediaFile } from '#media/file/file.ts'
import type { Rect, Size } from '#media/file/geometry.ts'
import type { Graph, Streams } from '#media/graph/graph.ts'
import type { Picture } from '#media/picture/picture.ts'

/** The schema of an object: made by TypeBox, or plain JSON Schema. Whoever gives it as a constant gets the types of its values. */
export interface ObjectSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, TSchema>>
  readonly required?: readonly string[] | undefined
}

/** An option that holds the name of a stored asset (or, as a list, several). */
export interface AssetParameter {
  name: string
  accepts: readonly Medium[]
  list?: boolean
  /** It must be a font. The check before doors open says so if it is none. */
  isFont?: boolean
}

/** Where one asset is used by a set of options: `parameter` is what `…_override` is put behind. */
export interface AssetUse {
  parameter: string
  name: string
  /** What it may be, where the parameter is not a declared one. */
  accepts?: readonly Medium[]
}

/** A place of the options that an asset or an override may fill. */
export interface AssetPlace extends Omit<AssetUse, 'name'> {
  /** Null where the options leave it open. */
  name: string | null
  /** The options as they are have no such place, so no override fills it. */
  isIdle?: boolean
}

/** An option that names a JSON asset with further options. Options that are set win over those of the asset. */
export interface OptionsTemplate {
  parameter: string
  schema: ObjectSchema
}

/**
 * What the schema can't say of options that fit it. `wrong` is refused wherever it is met; `missing` may still come with a
 * task, and is refused if it does not; `idle` has no effect, which somebody should know.
 */
export interface Remark extends FieldError {
  kind: 'wrong' | 'missing' | 'idle'
}

/** What every form gets: its options with placeholders filled in, its assets, and ways to speak. */
export interface Step<Options = JsonObject> {
  options: Options
  /** The files given for an asset parameter, in order; empty when none is set. */
  assets(parameter: string): MediaFile[]
  /** Values for placeholders, as already filled into the options. */
  context: JsonObject
  signal: AbortSignal
  progress(fraction: number): void
  /** A decision worth telling the operator ("baked a -90° display matrix"). */
  decide(sentence: string): void
  /** Something the operator should look at although the entry succeeds. */
  warn(sentence: string): void
  /** Faces that were found in a picture of this size; `GET` of the task tells the boxes. */
  saw(size: Size, faces: readonly SeenFace[]): void
}

/** A box in pixels, and how sure the model is: 0 to 1. */
export interface SeenFace extends Rect {
  score: number
}

/** What a step that makes a file gets on top: a folder of its own that is gone afterwards. */
export interface FileStep<Options = JsonObject> extends Step<Options> {
  folder: string
}

/** What a destination gets on top. */
export interface DeliveryStep<Options = JsonObject, Auth = JsonObject> extends Omit<Step<Options>, 'saw'> {
  auth: Auth
  /** Whose file this is. */
  experienceId: string
  /** Where the experience takes place, by the IANA database; null where it does not say. */
  timeZone(): Promise<string | null>
  /** For a target that Keepsake itself holds and several experiences share. */
  places: PathOwners
  /** For targets that use something up: what is left of the paper in a printer. */
  rolls: Rolls
  outbound: Outbound
  /** What the target said, without secrets. `most`: so many signs are kept of it; cut it here and not before, half a secret is not found. */
  clean(words: string, most?: number): string
  /** Something secret that came up on the way, such as an access token. What goes into `Authorization` is noted by itself. */
  conceal(secret: string): void
  /** Runs transformers of pictures on a file in a media child. `steps` gets the size of the picture as a person sees it. */
  picture(file: MediaFile, steps: (size: { width: number; height: number }) => PictureStep[]): Promise<MediaFile>
  /** The same for every attempt at this entry of this task, different for any other: `TASK_ID-INDEX`. */
  marker: string
  /** What an earlier attempt saved, or null. */
  checkpoint: JsonObject | null
  /** Kept durably before it returns, so that a crash can go on from it. */
  save(checkpoint: JsonObject): Promise<void>
}

/** Names at a shared target: each belongs to the experience that delivered to it first, and stays with it. */
export interface PathOwners {
  owner(place: string): Promise<'ours' | 'others' | null>
  /** Of several at once one gets it; `owner` tells who. */
  take(place: string): Promise<void>
}

/** A transformer of pictures with its options, complete. */
interface PictureStep {
  adapter: string
  options: JsonObject
}

/** What printers have used of their rolls, counted for all workers. What is counted belongs to this delivery and counts once. */
export interface Rolls {
  /** Counts since the last change of the roll; the printer that was taken longest ago comes first. */
  read(printers: readonly string[]): Promise<{ printer: string; used: number }[]>
  /** Counts `copies` on a printer, and no longer on another one. False if that would be more than `most`. */
  take(printer: string, copies: number, most: number | null): Promise<boolean>
  /** Nothing was printed. */
  giveBack(): Promise<void>
  /** It was printed, or may have been: the count stays. */
  settle(): Promise<void>
  /** A printer that had no paper and has some again has a new roll. */
  seen(printer: string, isEmpty: boolean): Promise<void>
}

/** One line of the check before doors open. */
export interface CheckLine {
  ok: boolean
  what: string
  detail: string
  /** What must come with the extras of every task. */
  needs?: { configuration: string; option: string }
}

interface Described<Options extends ObjectSchema, Auth extends ObjectSchema> {
  name: string
  summary: string
  /** What it takes. */
  accepts: readonly Medium[]
  /** What it makes: `same` is whatever came in. */
  makes: Medium | 'same'
  /** The schema of `adapter_config.defaults`; every property has a description. What one means to the service is its `role`. */
  options: Options
  /** The schema of `adapter_config.auth`. */
  auth?: Auth
  assets?: readonly AssetParameter[]
  /** For assets that sit deeper in the options than a parameter of their own. */
  assetsIn?(options: Static<Options>): AssetPlace[]
  template?: OptionsTemplate
  /** At least one of these options must be set. They may be left to a task; an override fills an asset parameter as well. */
  oneOf?: readonly string[]
  /** Looks at options as a whole, before their placeholders are filled in. `overridden`: places that an override fills. */
  review?(options: Static<Options>, overridden: ReadonlySet<string>): Remark[]
  /**
   * What these options ask for, worked out without making any of it. `before` is what the entry gets, null where that is not
   * known yet; an asset that is not known yet is left out.
   */
  asks?(options: Static<Options>, before: Before | null, assets: (parameter: string) => readonly FileFacts[]): Asked
  /** Whether these options have people looked for, which takes packages that may be missing. */
  looksForPeople?(options: Static<Options>): boolean
  /** Why this machine cannot run it, in one sentence; null where it can. A worker that can takes its work. */
  off?(): string | null
  /**
   * What says where the credentials are sent: options, and parts of `auth` as `auth.NAME`. Extras may not change it, and whoever
   * changes it in a configuration gives all of `auth` anew. Left out by an adapter with `auth`: every option counts for the latter.
   */
  target?: readonly string[]
  /** Further options that name the target, by the values of the others. Not asked where the credentials only sign. */
  targetIf?(options: Partial<Static<Options>>): readonly string[]
  /** Options among them that are URLs: one that may not be reached is refused when it is saved. */
  addresses?: readonly string[]
  /** Parts of `auth` that are no secret: answers may contain them. */
  authParts?: Readonly<Record<string, AuthPart>>
  /** Whether these credentials only sign and never leave the service; then extras may change the target. */
  onlySigns?(auth: Static<Auth>): boolean
}

/** `name`: says who signs in; cut out of what the target says unless the options show it. `plain`: known to anybody, and not cut out. */
export type AuthPart = 'name' | 'plain'

/** Pixels in, pixels out: neighbours share one decode and one encode. */
export interface ImageAdapter<Options extends ObjectSchema = ObjectSchema> extends Described<Options, ObjectSchema> {
  image(picture: Picture, step: Step<Static<Options>>): Picture | Promise<Picture>
}

/** Adds nodes to a filter graph and returns the streams that go on; runs nothing itself. */
export interface VideoAdapter<Options extends ObjectSchema = ObjectSchema> extends Described<Options, ObjectSchema> {
  video(graph: Graph, streams: Streams, step: FileStep<Static<Options>>): Streams | Promise<Streams>
}

/** Anything else, file to file; the result lies in `step.folder`. */
export interface FileAdapter<Options extends ObjectSchema = ObjectSchema> extends Described<Options, ObjectSchema> {
  run(input: MediaFile, step: FileStep<Static<Options>>): Promise<MadeFile>
}

export interface MadeFile {
  path: string
  command?: string[]
}

/** Delivers a file somewhere; what it returns is the result in the callback (without `activity`). */
export interface DestinationAdapter<
  Options extends ObjectSchema = ObjectSchema,
  Auth extends ObjectSchema = ObjectSchema,
> extends Described<Options, Auth> {
  /** The schema of what `deliver` returns, for the reference. Without one it is any object. */
  result?: ObjectSchema
  /** Parts of the result that are made of options alone, without a word of the target; the others are cleaned of secrets. */
  ownWords?: readonly string[]
  deliver(input: MediaFile, step: DeliveryStep<Static<Options>, Static<Auth>>): Promise<JsonObject>
  /**
   * Takes away what unfinished attempts left at the target, when no further one is made. Called only where an attempt
   * saved a checkpoint, which the step holds. What it saves is what the next run of the task finds.
   */
  abandon?(step: DeliveryStep<Static<Options>, Static<Auth>>): Promise<void>
  /** Takes back what `deliver` returned. */
  retract?(delivered: JsonObject, step: DeliveryStep<Static<Options>, Static<Auth>>): Promise<void>
  /**
   * What `retract` needs of a delivery that did not succeed, by what an attempt saved: the id of what was made before the rest failed.
   * Null where nothing was made, or nothing of it is known. Asked only where something is erased, and a checkpoint was saved.
   */
  madeSoFar?(step: DeliveryStep<Static<Options>, Static<Auth>>): JsonObject | null
  /**
   * Whether something that was sent may have arrived, by what an attempt saved. False only where it is certain that nothing did. Asked only where
   * something is erased whose delivery did not succeed, and a checkpoint was saved. Without it, the code of the last failure decides.
   */
  isInDoubt?(step: DeliveryStep<Static<Options>, Static<Auth>>): boolean
  /**
   * What `retract` needs of a delivery that did not succeed and may have arrived all the same: where `deliver` would have put it. Asked
   * too before the place is fixed, so it throws what `deliver` would throw of options that make no place.
   */
  aims?(step: DeliveryStep<Static<Options>, Static<Auth>>): JsonObject
  /** Required options that come with each task as a rule; the check does without them. */
  checkWithout?: readonly string[]
  /** Proves before the doors open that a delivery would work. */
  check?(step: DeliveryStep<Static<Options>, Static<Auth>>): AsyncIterable<CheckLine>
}

export type Adapter = ImageAdapter | VideoAdapter | FileAdapter | DestinationAdapter

/** Keep the precise option types inside the adapter's own file while the list holds them all alike. */
export const imageAdapter = <const O extends ObjectSchema>(adapter: ImageAdapter<O>): ImageAdapter =>
  adapter as unknown as ImageAdapter
export const videoAdapter = <const O extends ObjectSchema>(adapter: VideoAdapter<O>): VideoAdapter =>
  adapter as unknown as VideoAdapter
export const fileAdapter = <const O extends ObjectSchema>(adapter: FileAdapter<O>): FileAdapter =>
  adapter as unknown as FileAdapter
export const destinationAdapter = <const O extends ObjectSchema, const A extends ObjectSchema>(
  adapter: DestinationAdapter<O, A>,
): DestinationAdapter => adapter as unknown as DestinationAdapter

export const isDestination = (adapter: Adapter): adapter is DestinationAdapter => 'deliver' in adapter

export type Form = 'image' | 'video' | 'run' | 'deliver'

export function formOf(adapter: Adapter): Form {
  if ('image' in adapter) return 'image'
  if ('video' in adapter) return 'video'
  if ('run' in adapter) return 'run'
  return 'deliver'
}

/** Where the options name assets: the declared parameters and what the adapter finds deeper down. */
export function assetUses(adapter: Adapter, options: JsonObject): AssetUse[] {
  const declared = (adapter.assets ?? []).flatMap(({ name }) =>
    [options[name]]
      .flat()
      .filter(value => typeof value === 'string' && value !== '')
      .map(value => ({ parameter: name, name: value as string })),
  )
  const deeper = (adapter.assetsIn?.(options) ?? []).flatMap(({ parameter, name, accepts }) =>
    name ? [{ parameter, name, ...(accepts && { accepts }) }] : [],
  )
  return [...declared, ...deeper]
}

/** The asset parameters that `…_override` of a task group may replace. */
export const overridable = (adapter: Adapter, options: JsonObject): string[] => [
  ...(adapter.assets ?? []).map(({ name }) => name),
  ...(adapter.assetsIn?.(options) ?? []).flatMap(({ parameter, isIdle }) => (isIdle ? [] : parameter)),
]

export type Adapters = ReadonlyMap<string, Adapter>
