// Media files and their problems, as far as the rest of the house may know them.
export type { MediaFile } from '#media/file/file.ts'
export { MediaProblem, ownedBy } from '#media/file/media-problem.ts'
export { sniffHead } from '#media/file/sniff.ts'
