// Sizes and rectangles in pixels.

export interface Size {
  width: number
  height: number
}

export interface Rect extends Size {
  left: number
  top: number
}
