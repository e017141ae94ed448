// Writes a brotli and a gzip file beside each file of text that is built, so that the service compresses nothing while guests wait.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const TEXT = 'dist/**/*.{js,css,html,svg,json,webmanifest}'
/** With the headers that it costs, less than this is no gain. */
const LEAST_GAIN = 64

export const precompressed = (): Plugin => ({
  name: 'precompressed',
  apply: 'build',
  closeBundle() {
    for (const file of globSync(TEXT, { cwd: import.meta.dirname })) {
      const path = `${import.meta.dirname}/${file}`
      const bytes = readFileSync(path)
      for (const [ending, packed] of Object.entries({
        br: brotliCompressSync(bytes),
        gz: gzipSync(bytes, { level: 9 }),
      }))
        if (bytes.length - packed.length >= LEAST_GAIN) writeFileSync(`${path}.${ending}`, packed)
    }
  },
})
