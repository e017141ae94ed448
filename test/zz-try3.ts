import { run, look, fresh, opened, tone, tools } from './support/videos.ts'
import { readdirSync } from 'node:fs'
const A = async (n: string, e: string) => (await import(`#adapters/transformers/${n}.ts`))[e]
const music = await tone(3)
const only = process.argv.slice(2)
const flip = await A('video_flip','videoFlip'), add = await A('video_add_audio','videoAddAudio'), resize = await A('video_resize','videoResize'), trim = await A('video_trim','videoTrim'), aconv = await A('audio_convert','audioConvert')
for (const dir of ['videos','audio']) for (const f of readdirSync('/work/shared/media/'+dir)) {
  if (only.length && !only.includes(f)) continue
  const path=`/work/shared/media/${dir}/${f}`
  let file; const t0=performance.now()
  try { file = await opened(path) } catch (e: any) { console.log(f,'PROBE', e.code, e.message, e.detail ?? ''); continue }
  console.log(f, file.mime, file.width, file.height, file.duration?.toFixed(3), (performance.now()-t0).toFixed(1)+'ms')
  const t = async (n: string, w: any[]) => { try { const r = await run(file, w); const l = await look(r.output.path); console.log('   ',n, r.output.mime, `${l.width}x${l.height} f${l.frames} ${l.seconds}s ${l.fps} ${l.codec} ${l.pixelFormat} ${l.colour} ${JSON.stringify(l.audio)} at ${l.startsAt}`, r.entries.flatMap((e:any)=>[...e.decisions,...e.warnings]).join(' | ')); if (process.env.CMD) console.log(r.entries.at(-1)!.command!.join(' ')) } catch (e: any) { console.log('   ',n,'FAIL',e.code,e.message,e.detail??e.stack) } }
  if (file.medium==='video') {
    await t('melt', [{adapter: flip, options:{method:'FLIP_LEFT_RIGHT'}}])
    await t('copy', [{adapter: add, assets:{audio_file_name: music}}])
    await t('trim', [{adapter: trim, options:{start:0.02, duration:0.5}}])
  } else await t('conv', [{adapter: aconv}])
}
