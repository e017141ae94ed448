// Media files and their problems, as far as the rest of the house may know them.
export type { Facts, MediaFile, Medium } from '#media/file.ts'
export { MediaProblem, ownedBy } from '#media/problem.ts'
export { sniffHead } from '#media/sniff.ts'
