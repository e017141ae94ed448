import { readFileSync } from 'node:fs'
import { chain, frame, inFolder, saved, fileOf } from './support/photos.ts'
import { photo } from './support/photos.ts'
import { spawnSync } from 'node:child_process'
import { writeFileSync, existsSync } from 'node:fs'
const mode=process.argv[2]
if (mode==='make') { await photo(8000,6000).jpeg({quality:90}).toFile('/tmp/px/48.jpg'); await photo(8000,6000,4).png({compressionLevel:1}).toFile('/tmp/px/48.png'); process.exit(0) }
const { melted } = await import('./support/photos.ts')
await inFolder(async folder => {
  const big = await fileOf(process.argv[3]!)
  const overlay = await saved(folder,'frame.png', await frame(1600,1200))
  const all=chain(1600,1200,overlay)
  const r90={...all[0]!,options:{method:'ROTATE_90'}}
  const sets:any={chain:all,overlay:[{...all[2]!,index:0}],rotover:[r90,{...all[2]!,index:1}],flip:[r90],resize:[all[1]!]}
  const before=readFileSync('/proc/self/status','utf8').match(/VmHWM:\s+(\d+)/)![1]
  const t=performance.now()
  await melted(big,sets[mode],folder)
  const after=readFileSync('/proc/self/status','utf8').match(/VmHWM:\s+(\d+)/)![1]
  console.log(process.argv[3],mode,'base MB',(Number(before)/1024).toFixed(0),'peak',(Number(after)/1024).toFixed(0),'bytes/px',((Number(after)-Number(before))*1024/48e6).toFixed(1),(performance.now()-t).toFixed(0)+'ms')
})
