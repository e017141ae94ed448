// What a file is: by its bytes, whatever its name says.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sniff } from '#media/file/sniff.ts'
import { newFolder, png, scene } from '../support/pictures.ts'

async function kindOf(bytes: Buffer | string, name = 'file'): Promise<string> {
  await using folder = await newFolder()
  await folder.bytes(name, Buffer.from(bytes))
  const { mime, medium, ext } = await sniff(`${folder.path}/${name}`)
  return `${medium} ${mime} ${ext}`
}

describe('sniffing', () => {
  it('goes by the bytes and not by the name', async () => {
    assert.equal(await kindOf(await png(scene(4, 4)), 'holiday.mp4'), 'image image/png .png')
    assert.equal(await kindOf('just words', 'photo.jpg'), 'file text/plain .txt')
  })

  it('knows the kinds of text that are used as assets', async () => {
    assert.equal(await kindOf('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image image/svg+xml .svg')
    assert.equal(
      await kindOf('\ufeff<?xml version="1.0"?>\n<!-- made by hand -->\n<!DOCTYPE svg>\n<svg width="3"></svg>'),
      'image image/svg+xml .svg',
    )
    assert.equal(await kindOf('<html><svg/></html>'), 'file text/plain .txt')
    assert.equal(await kindOf('{"canvas": null}'), 'file application/json .json')
    assert.equal(await kindOf('TITLE "x"\nLUT_3D_SIZE 2\n0 0 0'), 'file application/x-cube .cube')
  })

  it('takes a playlist for the text it is, never for a recording', async () => {
    assert.equal(await kindOf('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n', 'movie.mp4'), 'file text/plain .txt')
    assert.equal(await kindOf('ffconcat version 1.0\nfile /etc/passwd\n', 'movie.mp4'), 'file text/plain .txt')
  })

  it('knows a TIFF that is cut off and an MP3 with a large cover', async () => {
    assert.equal(await kindOf(Buffer.from('II*\0\x10\x00\x00\x00rest', 'latin1')), 'image image/tiff .tif')
    assert.equal(
      await kindOf(Buffer.concat([Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1'), Buffer.alloc(70_000, 1)])),
      'audio audio/mpeg .mp3',
    )
  })

  it('hands on what it does not know as a plain file', async () => {
    assert.equal(await kindOf(Buffer.from([0, 1, 2, 3, 250])), 'file application/octet-stream ')
    assert.equal(await kindOf(''), 'file application/octet-stream ')
  })
})
