// How long the API waits: for what nobody tells it, for clients, and for pictures.
export interface Waits {
  /** A wall looks by itself for keepsakes whose time is over. */
  wallMs: number
  /** The page of a guest looks by itself for tasks that were added, and for its end. */
  guestPageMs: number
  /** A client that is silent for this long loses its upload to one that asks for it: a phone that changed its network, for example. */
  uploadMs: number
  /** The smaller picture of a file, for a list or a screen, may take this long to make. */
  pictureMs: number
}

export const usualWaits: Waits = { wallMs: 15_000, guestPageMs: 5_000, uploadMs: 5_000, pictureMs: 20_000 }
