// What an author of adapters imports as `keepsake/adapter`: the contract, the problems, the options that mean something, helpers.

// The contract. Each function takes one adapter and gives its step the types of the options' schema.
export { default as Type, type Static } from 'typebox'
// For destinations: names, bytes, one delivery and no second, lines of a check.
export { fingerprint, newMeter, wholeFile } from '#adapters/delivery/bytes.ts'
export { newProbe, notTried, tried } from '#adapters/delivery/check-lines.ts'
// Options with a role, and options that several adapters share.
export {
  baseName,
  contentDisposition,
  keyOf,
  naming as namingOptions,
  patience as deliveryOptions,
  urlPath,
} from '#adapters/delivery/delivery-options.ts'
// Problems. The fault of a code decides whether an entry is tried again.
export {
  answered,
  askedWait,
  outcomeUnknown,
  outOfQuota,
  quote,
  refused,
  unreachable,
} from '#adapters/delivery/failure.ts'
export { multipartForm } from '#adapters/delivery/form-body.ts'
export { sendOnce } from '#adapters/delivery/intent.ts'
export { remarksBy, reviewNaming } from '#adapters/delivery/review.ts'
export { asset as assetOption, closed, colour as colourOption } from '#adapters/shared/picture-options.ts'
export { contextOption, missingOption } from '#adapters/shared/placeholder-options.ts'
export { needsOneOf } from '#adapters/shared/required.ts'
export { fontOption } from '#adapters/shared/text-options.ts'
// For pictures and videos.
export { pictureOf, soundOf } from '#adapters/shared/video-options.ts'
export {
  type Adapter,
  type AssetParameter,
  type AssetPlace,
  type AuthPart,
  type CheckLine,
  type DeliveryStep,
  type DestinationAdapter,
  destinationAdapter,
  type FileAdapter,
  type FileStep,
  fileAdapter,
  type ImageAdapter,
  imageAdapter,
  type MadeFile,
  type ObjectSchema,
  type OptionsTemplate,
  type PathOwners,
  type Remark,
  type Step,
  type VideoAdapter,
  videoAdapter,
} from '#engine/adapter.ts'
export { type Role, roles } from '#engine/option-roles.ts'
export { withStandIns } from '#engine/placeholders.ts'
export { badOption, type Code, catalogue, type Fault, isProblem, Problem } from '#kit/errors.ts'
export type { FileFacts, Medium } from '#kit/file-facts.ts'
export type { Json, JsonObject } from '#kit/json.ts'
export type { Outbound, OutboundRequest, OutboundResponse } from '#kit/net/outbound.ts'
export { Unreachable } from '#kit/net/outbound.ts'
export type { Asked, Before } from '#media/file/asked.ts'
export type { MediaFile } from '#media/file/file.ts'
export * as audioOps from '#media/graph/audio-ops.ts'
export {
  type AudioStream,
  type Filter,
  type Graph,
  type Streams,
  secondsOf,
  type VideoStream,
} from '#media/graph/graph.ts'
export * as videoOps from '#media/graph/video-ops.ts'
export type { Picture } from '#media/picture/picture.ts'
export { parseColour } from '#media/pixels/colour.ts'
export { type Pixels, words } from '#media/pixels/pixels.ts'
export { applyMatrix, type Matrix } from '#media/pixels/tone.ts'
