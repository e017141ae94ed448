// Builds the console into console/dist; in development it talks to a service on PORT through a proxy.
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompressed } from './precompressed.ts'

const service = `http://127.0.0.1:${process.env.PORT ?? 8080}`

export default defineConfig({
  plugins: [react(), tailwind(), precompressed()],
  base: '/',
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // Fonts as data: URLs would be refused by the service's content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    reportCompressedSize: true,
    // All that the first page needs is one file: the await for the language would else split it into dozens.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
  },
  server: { proxy: { '/api': { target: service, changeOrigin: false }, '/docs': service } },
})
