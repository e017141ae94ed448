// Hands on the types of media files and their problems that tasks may import.
export type { MediaFile } from '#media/file/file.ts'
export { MediaProblem, ownedBy } from '#media/file/media-problem.ts'
export { sniffHead } from '#media/file/sniff.ts'
