// A real target for each destination, with a cutting proxy in front: for the contract, the kills and the measurements.
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3'
import sharp from 'sharp'
import { azureBlobUpload } from '#adapters/destinations/azure_blob_upload.ts'
import { emailSend } from '#adapters/destinations/email_send.ts'
import { gcsUpload } from '#adapters/destinations/gcs_upload.ts'
import { httpPost } from '#adapters/destinations/http_post.ts'
import { localFile } from '#adapters/destinations/local_file.ts'
import { messageSend } from '#adapters/destinations/message_send.ts'
import { printIpp } from '#adapters/destinations/print_ipp.ts'
import { s3Upload } from '#adapters/destinations/s3_upload.ts'
import { sftpUpload } from '#adapters/destinations/sftp_upload.ts'
import { youtubeUpload } from '#adapters/destinations/youtube_upload.ts'
import type { MediaFile } from '#media/file/file.ts'
import type { Bed } from '../contract/destination.ts'
import { type Azurite, startAzurite } from './azurite.ts'
import type { Certificate } from './certificates.ts'
import { cleanUp } from './clean-up.ts'
import { startProxy } from './flaky-proxy.ts'
import { type FakeGoogle, startGoogle } from './google.ts'
import { type Received, startReceiver } from './https-receiver.ts'
import { startEvePrinter } from './ippeve-printer.ts'
import { type S3Server, startS3 } from './s3-server.ts'
import { startSftp } from './sftp.ts'
import { partsOf, startSmtp } from './smtp.ts'
import { startTwilio, twilioAuth } from './twilio.ts'

export const s3Client = ({ endpoint, region, accessKey, secretKey }: S3Server): S3Client =>
  new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    responseChecksumValidation: 'WHEN_REQUIRED',
  })

export async function s3Bed(server: S3Server): Promise<Bed> {
  const Bucket = `contract-${randomUUID().slice(0, 8)}`
  await server.createBucket(Bucket)
  const client = s3Client(server)
  const proxy = await startProxy({ port: Number(new URL(server.endpoint).port) })
  const keys = async () => ((await client.send(new ListObjectsV2Command({ Bucket }))).Contents ?? []).map(o => o.Key)
  return {
    adapter: s3Upload,
    options: { bucket_name: Bucket, bucket_url: `http://127.0.0.1:${proxy.port}`, file_prefix: 'deep/er/' },
    auth: { access_key: server.accessKey, secret_key: server.secretKey },
    proxy,
    async delivered() {
      const files: Buffer[] = []
      for (const Key of await keys()) {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
        files.push(Buffer.from((await Body?.transformToByteArray()) ?? []))
      }
      return files
    },
    unfinished: async () => ((await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? []).length,
    async clear() {
      for (const Key of await keys()) await client.send(new DeleteObjectCommand({ Bucket, Key }))
    },
    async stop() {
      client.destroy()
      await proxy.stop()
    },
  }
}

export async function azureBed({ port, serviceUrl, accountName, accountKey }: Azurite): Promise<Bed> {
  // Loaded when it is needed: it is large, and most beds have no use for it.
  const { BlobServiceClient, StorageSharedKeyCredential } = await import('@azure/storage-blob')
  const service = new BlobServiceClient(serviceUrl, new StorageSharedKeyCredential(accountName, accountKey))
  const container_name = `contract-${randomUUID().slice(0, 8)}`
  const container = service.getContainerClient(container_name)
  await container.create()
  const proxy = await startProxy({ port })
  const names = async () => (await Array.fromAsync(container.listBlobsFlat())).map(({ name }) => name)
  return {
    adapter: azureBlobUpload,
    options: {
      container_name,
      service_url: `http://127.0.0.1:${proxy.port}/${accountName}`,
      file_prefix: 'deep er/',
    },
    auth: { account_name: accountName, account_key: accountKey },
    proxy,
    delivered: async () => Promise.all((await names()).map(name => container.getBlobClient(name).downloadToBuffer())),
    async clear() {
      for (const name of await names()) await container.deleteBlob(name)
    },
    stop: () => proxy.stop(),
  }
}

export const youtubeAuth = {
  client_id: 'client-id-1',
  client_secret: 'client-secret-1',
  refresh_token: 'refresh-token-1',
}

export const newKeys = (): { publicKey: string; privateKey: string } =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })

const email = 'keepsake@project.iam.gserviceaccount.com'
let keys: ReturnType<typeof newKeys> | undefined
/** Of the account; made for whoever asks, as that takes a while. */
const accountKeys = () => {
  keys ??= newKeys()
  return keys
}

/** Google as both destinations know it. */
export async function newGoogle(): Promise<FakeGoogle> {
  const { client_secret: clientSecret, refresh_token: refreshToken } = youtubeAuth
  const google = await startGoogle({ publicKey: accountKeys().publicKey, email, clientSecret, refreshToken })
  google.buckets.set('contract', { refusesAcls: false }).set('uniform', { refusesAcls: true })
  return google
}

export const gcsAuth = (url: string) => ({
  type: 'service_account',
  client_email: email,
  private_key: accountKeys().privateKey,
  token_uri: `${url}/token`,
})

export async function youtubeBed(google: FakeGoogle): Promise<Bed> {
  const proxy = await startProxy({ port: google.port })
  return {
    adapter: youtubeUpload,
    options: { title: 'Souvenir', api_base_url: `http://127.0.0.1:${proxy.port}` },
    auth: youtubeAuth,
    proxy,
    delivered: async () => [...google.videos.values()].map(({ bytes }) => bytes),
    clear: async () => google.videos.clear(),
    stop: () => proxy.stop(),
  }
}

export async function gcsBed(google: FakeGoogle): Promise<Bed> {
  const proxy = await startProxy({ port: google.port })
  const url = `http://127.0.0.1:${proxy.port}`
  return {
    adapter: gcsUpload,
    options: { bucket_name: 'contract', api_base_url: url, file_prefix: 'deep/er ' },
    auth: gcsAuth(url),
    proxy,
    delivered: async () => [...google.objects.values()].map(({ bytes }) => bytes),
    clear: async () => google.objects.clear(),
    stop: () => proxy.stop(),
  }
}

const filesIn = async (root: string): Promise<string[]> =>
  (await readdir(root, { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))

const folderBed = (root: string): Pick<Bed, 'delivered' | 'unfinished' | 'clear'> => {
  const some = async (half: boolean) => (await filesIn(root)).filter(path => path.endsWith('.part') === half)
  return {
    delivered: async () => Promise.all((await some(false)).map(path => readFile(path))),
    unfinished: async () => (await some(true)).length,
    async clear() {
      for (const name of await readdir(root)) await rm(join(root, name), { recursive: true })
    },
  }
}

export const sftpUser = { username: 'booth', password: 'pass-word-1' }

export async function sftpBed(): Promise<Bed> {
  const home = await mkdtemp(join(tmpdir(), 'keepsake-sftp-'))
  const server = await startSftp(home, sftpUser)
  const proxy = await startProxy({ port: server.port })
  return {
    adapter: sftpUpload,
    options: {
      host: '127.0.0.1',
      port: proxy.port,
      path: 'in/box',
      file_prefix: 'day 1/',
      host_key: server.fingerprint,
    },
    auth: sftpUser,
    proxy,
    ...folderBed(home),
    async stop() {
      await proxy.stop()
      await server.stop()
      await rm(home, { recursive: true, force: true })
    },
  }
}

export async function localBed(): Promise<Bed & { made: string }> {
  const root = await mkdtemp(join(tmpdir(), 'keepsake-local-'))
  return {
    adapter: localFile(root),
    made: root,
    options: { folder: 'hall 1/screens', file_prefix: 'day/' },
    proxy: null,
    ...folderBed(root),
    stop: () => rm(root, { recursive: true, force: true }),
  }
}

export const formOf = ({ headers, body }: Received): Promise<FormData> =>
  new Response(new Uint8Array(body), { headers: { 'content-type': headers['content-type'] ?? '' } }).formData()

/** `tls`: it speaks HTTPS, as everything does outside of tests. */
export async function postBed(tls?: Certificate): Promise<Bed> {
  const receiver = await startReceiver({
    ...(tls && { tls }),
    raw(request: IncomingMessage, response) {
      if (request.headers.authorization !== 'Bearer right-token-right')
        return void request.resume().once('end', () => response.writeHead(401).end('who are you?'))
      if (request.method === 'HEAD') return void response.end()
      if (Number(request.headers['content-length']) > 100 * 2 ** 20)
        return void request.resume().once('end', () => response.end())
      const chunks: Buffer[] = []
      request.on('data', chunk => void chunks.push(chunk)).on('error', () => {})
      request.on('end', () => {
        receiver.received.push({ method: '', url: '', headers: request.headers, body: Buffer.concat(chunks) })
        response.end('{"id": 7}')
      })
    },
  })
  const proxy = await startProxy({ port: receiver.port })
  return {
    adapter: httpPost,
    options: { url: `${tls ? 'https' : 'http'}://127.0.0.1:${proxy.port}/in` },
    auth: { bearer: 'right-token-right' },
    proxy,
    async delivered() {
      const forms = await Promise.all(receiver.received.map(formOf))
      return Promise.all(forms.map(async form => Buffer.from(await (form.get('file') as File).arrayBuffer())))
    },
    async clear() {
      receiver.received.length = 0
    },
    async stop() {
      await proxy.stop()
      await receiver.stop()
    },
  }
}

export const mailUser = { name: 'booth-user', password: 'pass-word-1' }
export const mailLogin = {
  username: mailUser.name,
  password: mailUser.password,
  from: 'Die Bude <bude@example.org>',
}

export const attachmentsOf = (raw: string) =>
  partsOf(raw).filter(({ headers }) => /^content-disposition: attachment/im.test(headers))

export async function emailBed(size?: number): Promise<Bed> {
  const server = await startSmtp({ user: mailUser, ...(size !== undefined && { size }) })
  const proxy = await startProxy({ port: server.port })
  return {
    adapter: emailSend,
    options: { to: 'guest@example.com', subject: 'Your souvenir', text: 'Here it is.' },
    auth: { ...mailLogin, host: '127.0.0.1', port: proxy.port },
    proxy,
    delivered: async () => server.messages.flatMap(({ raw }) => attachmentsOf(raw)).map(({ body }) => body),
    async clear() {
      server.messages.length = 0
    },
    async stop() {
      await proxy.stop()
      await server.stop()
    },
  }
}

/** A noisy picture, so that a print of it has some size. */
export async function noisyPicture(folder: string): Promise<MediaFile> {
  const path = join(folder, `${randomUUID()}.jpg`)
  await sharp(randomBytes(600 * 400 * 3), { raw: { width: 600, height: 400, channels: 3 } })
    .jpeg({ quality: 95 })
    .toFile(path)
  const { size } = await stat(path)
  return {
    path,
    bytes: size,
    ext: '.jpg',
    mime: 'image/jpeg',
    medium: 'image',
    width: 600,
    height: 400,
    duration: null,
    frames: null,
  }
}

export async function printBed(): Promise<Bed | null> {
  const printer = await startEvePrinter()
  if (!printer) return null
  const proxy = await startProxy({ port: printer.port })
  return {
    adapter: printIpp,
    options: { printers: [`ipp://127.0.0.1:${proxy.port}/ipp/print`], wait: 0.5 },
    proxy,
    delivered: printer.documents,
    clear: printer.clear,
    async stop() {
      await proxy.stop()
      await printer.stop()
    },
  }
}

export async function messageBed(): Promise<Bed> {
  const twilio = await startTwilio()
  const proxy = await startProxy({ port: twilio.port })
  return {
    adapter: messageSend,
    options: {
      to: '+4915112345678',
      from: '+15017122661',
      text: 'Your souvenir: https://gallery.example.com/1',
      api_base_url: `http://127.0.0.1:${proxy.port}`,
    },
    auth: twilioAuth,
    proxy,
    delivered: async () => twilio.messages.map(({ body }) => Buffer.from(body)),
    async clear() {
      twilio.messages.length = 0
    },
    async stop() {
      await proxy.stop()
      await twilio.stop()
    },
  }
}

export interface Beds {
  /** Without S3 and the printer where they are not installed. */
  all: Bed[]
  stop(): Promise<void>
}

/** One of each, with servers of their own. `large`: they take gigabytes, and messages of 200 MB. */
export async function allBeds({ large = false } = {}): Promise<Beds> {
  const [s3, azurite, google] = await Promise.all([startS3(), startAzurite({ onDisk: large }), newGoogle()])
  const beds = await Promise.all([
    s3 && s3Bed(s3),
    azureBed(azurite),
    gcsBed(google),
    youtubeBed(google),
    sftpBed(),
    localBed(),
    postBed(),
    large ? emailBed(200_000_000) : emailBed(),
    printBed(),
    messageBed(),
  ])
  const all = beds.filter(bed => bed !== null)
  return {
    all,
    stop: () => cleanUp(...all.map(bed => bed.stop), () => s3?.stop(), azurite.stop, google.stop),
  }
}
