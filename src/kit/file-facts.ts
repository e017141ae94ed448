// What is known of a file from its header: the facts that are stored, shown and passed to media children.

export type Medium = 'image' | 'video' | 'audio' | 'file'

export interface FileFacts {
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
