// What the package brings: one adapter, or a list of them, as the default export.
import { httpPut } from './http_put.js'
import { photoDuotone } from './photo_duotone.js'

export default [photoDuotone, httpPut]
