// A media file on disk and what is known of it.

export type Medium = 'image' | 'video' | 'audio' | 'file'

export interface Facts {
  mime: string
  medium: Medium
  /** With its dot: `.jpg`. Empty when unknown. */
  ext: string
  bytes: number
  /** As a person sees it: orientation and display matrix applied. */
  width: number | null
  height: number | null
  /** Seconds; null for what does not move. */
  duration: number | null
  /** Frames of an animated picture; null for anything else. */
  frames: number | null
}

export interface MediaFile extends Facts {
  path: string
  /** How an operator knows it, where it is not the input: `The asset "frame"`. */
  label?: string
  /** Of its content, where it is known. */
  sha256?: string
}
