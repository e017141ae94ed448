import { clip, tone, run, look, fresh, opened, ffmpeg } from './support/videos.ts'
import sharp from 'sharp'
import { mkdirSync, copyFileSync } from 'node:fs'
import { basename } from 'node:path'
const A = async (n: string, e: string) => (await import(`#adapters/transformers/${n}.ts`))[e]
const only = process.argv.slice(2)
const out='/tmp/v/out'; mkdirSync(out,{recursive:true})
const show = async (name: string, make: () => Promise<any>) => { if (only.length && !only.some(o=>name.startsWith(o))) return; const t=performance.now(); try { const r = await make(); const l=await look(r.output.path).catch(()=>null); console.log(name, Math.round(performance.now()-t)+'ms', r.output.mime, r.output.width, r.output.height, r.output.duration, r.output.bytes, l&&JSON.stringify(l), r.entries.map((e:any)=>[e.decisions,e.warnings]).flat(3)); if(process.env.CMD)console.log('   ', r.entries.at(-1).command.join(' ')); copyFileSync(r.output.path, `${out}/${name}${r.output.ext}`); return r } catch (e) { console.log(name, 'FAIL', (e as any).code, (e as any).message, (e as any).detail ?? (e as any).stack) } }
const main = await clip({seconds:3})
const music = await tone(5)
const bars = await clip({ seconds: 1, pattern: 'smptebars', tone: 220, size:'640x480', rate:'25' })
const photoPath = fresh('.jpg'); await ffmpeg('-v','error','-f','lavfi','-i','mandelbrot=s=1600x1200','-frames:v','1',photoPath); const photo = await opened(photoPath)
const S=(o={})=>o
await show('convert', async()=>run(main,[{adapter:await A('video_convert','videoConvert'),options:{max_height:90,crf:25}}]))
await show('convert_webm', async()=>run(main,[{adapter:await A('video_convert','videoConvert'),options:{format:'webm'}}]))
await show('convert_mov', async()=>run(main,[{adapter:await A('video_convert','videoConvert'),options:{format:'mov',fps:24}}]))
for (const fit of ['pad','cover','blur_pad']) await show('resize_'+fit, async()=>run(main,[{adapter:await A('video_resize','videoResize'),options:{aspect:'9:16',fit}}]))
for (const method of ['FLIP_LEFT_RIGHT','FLIP_TOP_BOTTOM','ROTATE_90','ROTATE_180','ROTATE_270','TRANSPOSE','TRANSVERSE']) await show('flip_'+method, async()=>run(main,[{adapter:await A('video_flip','videoFlip'),options:{method}}]))
await show('trim', async()=>run(main,[{adapter:await A('video_trim','videoTrim'),options:{start:0.7,end:2.3}}]))
await show('trim_inexact', async()=>run(main,[{adapter:await A('video_trim','videoTrim'),options:{start:0.7,end:2.3,exact:false}}]))
await show('fade', async()=>run(main,[{adapter:await A('video_fade','videoFade'),options:{fade_in:0.5,fade_out:0.5,color:'#ffffff'}}]))
await show('speed', async()=>run(main,[{adapter:await A('video_speed','videoSpeed'),options:{audio:'stretch'}}]))
await show('speed3', async()=>run(main,[{adapter:await A('video_speed','videoSpeed'),options:{factor:3,audio:'keep'}}]))
await show('boomerang', async()=>run(main,[{adapter:await A('video_boomerang','videoBoomerang'),options:{duration:0.8},assets:{audio_file_name:music}}]))
await show('text', async()=>run(main,[{adapter:await A('video_add_text','videoAddText'),options:{text:"Grüße 'aus' [Berlin]; %{n}",start:1,end:2,fade:0.2}}]))
const green = await clip({ seconds: 2, pattern: 'color=c=0x00b140' , tone: null })
await show('key', async()=>run(green,[{adapter:await A('video_add_text','videoAddText'),options:{text:'HELLO',color:'#ff0000',y:'30%',height:'40%'}},{adapter:await A('video_chroma_key','videoChromaKey'),assets:{background_file_name:photo}}]))
await show('key_video', async()=>run(green,[{adapter:await A('video_chroma_key','videoChromaKey'),assets:{background_file_name:bars}}]))
await show('thumb', async()=>run(main,[{adapter:await A('video_thumbnail','videoThumbnail')}]))
await show('thumb_at', async()=>run(main,[{adapter:await A('video_thumbnail','videoThumbnail'),options:{at:1.5,width:100,height:100,format:'png'}}]))
await show('gif', async()=>run(main,[{adapter:await A('video_to_gif','videoToGif'),options:{duration:1,width:200}}]))
await show('gif_small', async()=>run(main,[{adapter:await A('video_to_gif','videoToGif'),options:{duration:1,width:200,max_bytes:60000}}]))
await show('gif_webp', async()=>run(main,[{adapter:await A('video_to_gif','videoToGif'),options:{duration:1,format:'webp'}}]))
for (const format of ['mp3','m4a','ogg','wav']) await show('aconv_'+format, async()=>run(music,[{adapter:await A('audio_convert','audioConvert'),options:{format}}]))
await show('aconv_video', async()=>run(main,[{adapter:await A('audio_convert','audioConvert')}]))
await show('norm_audio', async()=>run(music,[{adapter:await A('audio_normalize','audioNormalize')}]))
await show('norm_video', async()=>run(main,[{adapter:await A('audio_normalize','audioNormalize'),options:{loudness:-23}}]))
for (const motion of ['none','zoom_in','zoom_out','pan']) await show('photo_'+motion, async()=>run(photo,[{adapter:await A('photo_to_video','photoToVideo'),options:{motion,duration:2,width:640,height:360},assets:{audio_file_name:music}}]))
await show('thumb_photo', async()=>run(main,[{adapter:await A('video_thumbnail','videoThumbnail')},{adapter:await A('photo_to_video','photoToVideo'),options:{duration:1}}]))
