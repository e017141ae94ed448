// Adds the asset's name to a problem, so that nobody looks for the fault in the guest's file.
import { Problem } from '#kit/errors.ts'
import type { MediaFile } from './file.ts'
import { MediaProblem } from './media-problem.ts'

export async function ofAsset<T>({ label }: MediaFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Problem) || label === undefined) throw error
    const { detail = null } = error as Partial<MediaProblem>
    throw new MediaProblem(error.code, `${label} can’t be used: ${error.message}`, { detail, cause: error })
  }
}
