// Types of heic-decode 2.1, which ships none.
declare module 'heic-decode' {
  interface Decoded {
    width: number
    height: number
    data: Uint8ClampedArray
  }
  interface Image {
    width: number
    height: number
    decode(): Promise<Decoded>
  }
  const heic: { all(input: { buffer: Uint8Array }): Promise<Image[] & { dispose(): void }> }
  export default heic
}
