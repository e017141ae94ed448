import { clip, tone, run, look, oneByOne, ssim, frameHashes, tools } from './support/videos.ts'
import { videoAddAudio } from '#adapters/transformers/video_add_audio.ts'
import { videoJoin } from '#adapters/transformers/video_join.ts'
import { videoAddOverlay } from '#adapters/transformers/video_add_overlay.ts'
import sharp from 'sharp'
import { fresh, opened, folder } from './support/videos.ts'

const main = await clip({seconds:3})
const music = await tone(5)
const intro = await clip({ seconds: 1, pattern: 'smptebars', tone: 220 })
const intro2 = await clip({ seconds: 1, pattern: 'smptebars', tone: 220, size:'640x480', rate:'25' })
const logoPath = fresh('.png')
await sharp({create:{width:64,height:64,channels:4,background:{r:255,g:0,b:0,alpha:1}}}).extend({left:40,right:40,top:20,bottom:20,background:{r:0,g:0,b:0,alpha:0}}).png().toFile(logoPath)
const logo = await opened(logoPath)
const show = async (name: string, p: Promise<any>) => { const t=performance.now(); try { const r = await p; console.log(name, Math.round(performance.now()-t)+'ms', JSON.stringify(await look(r.output.path)), r.entries.map((e:any)=>[e.decisions,e.warnings]).flat(3), r.entries.at(-1).timings); if (process.env.CMD) console.log('   ', r.entries.at(-1).command.join(' ')); return r } catch (e) { console.log(name, 'FAIL', (e as any).code, (e as any).message, (e as any).detail ?? (e as any).stack) } }
await show('add_audio', run(main, [{adapter: videoAddAudio, assets:{audio_file_name: music}}]))
await show('add_audio nofade', run(main, [{adapter: videoAddAudio, options:{fade_out:0}, assets:{audio_file_name: music}}]))
await show('mix duck loud', run(main, [{adapter: videoAddAudio, options:{mode:'mix',duck:true,loudness:-20}, assets:{audio_file_name: music}}]))
await show('longest', run(main, [{adapter: videoAddAudio, options:{length:'longest'}, assets:{audio_file_name: music}}]))
await show('join same', run(main, [{adapter: videoJoin, assets:{intro_file_name: intro}}]))
await show('join other', run(main, [{adapter: videoJoin, assets:{intro_file_name: intro2}}]))
await show('join xfade', run(main, [{adapter: videoJoin, options:{transition:'crossfade'}, assets:{intro_file_name: intro2, clip_file_names:[logo]}}]))
await show('overlay', run(main, [{adapter: videoAddOverlay, options:{}, assets:{overlay_file_name: logo}}]))
const w = await show('overlay window', run(main, [{adapter: videoAddOverlay, options:{start:1,end:1.4}, assets:{overlay_file_name: logo}}]))
if (w) { const a = await frameHashes(main.path), b = await frameHashes(w.output.path); console.log(a.length,b.length, a.map((h,i)=>h===b[i]?'.':'x').join('')) }
const chain = [{adapter: videoAddOverlay, options:{}, assets:{overlay_file_name: logo}},{adapter: videoAddAudio, assets:{audio_file_name: music}},{adapter: videoJoin, assets:{intro_file_name: intro2}}]
const a = await show('chain', run(main, chain)); const b = await show('chain steps', oneByOne(main, chain))
if (a&&b) console.log(await ssim(a.output.path,b.output.path))
console.log(folder)
