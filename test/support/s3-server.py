"""A real S3 server for tests: OpenStack Swift's four servers and its s3api in one process, on free ports.

Usage: s3-server.py FOLDER. Reads its keys as one line of JSON from stdin, prints its port as one line of JSON
when it answers, and ends when stdin is closed, so it never outlives the test that started it. Where Swift is not
installed it ends at once with 69.
"""
import hashlib
import hmac
import json
import os
import sys
import time
from urllib.parse import parse_qsl, quote

try:
    import eventlet

    eventlet.patcher.monkey_patch()

    import lxml
    import paste.deploy
    import swift.common.middleware.s3api
except ImportError:
    sys.exit(69)

from eventlet import wsgi
from swift.common import constraints, utils

folder = sys.argv[1]
keys = json.loads(sys.stdin.readline())
etc = os.path.join(folder, 'etc')
os.makedirs(etc)
os.makedirs(os.path.join(folder, 'data', 'd1'))


def has_xattrs():
    """Swift keeps the facts of an object in extended attributes; not every file system has them."""
    probe = os.path.join(folder, 'probe')
    open(probe, 'w').close()
    try:
        os.setxattr(probe, 'user.swift.metadata', b'x' * 2048)
        return True
    except OSError:
        return False


def write(name, text):
    path = os.path.join(etc, name)
    with open(path, 'w') as f:
        f.write(text)
    return path


write('swift.conf', '[swift-hash]\nswift_hash_path_prefix = a\nswift_hash_path_suffix = b\n'
                    '[storage-policy:0]\nname = one\ndefault = yes\n'
                    '[swift-constraints]\nmax_header_size = 16384\n')
utils.set_swift_dir(etc)
constraints.reload_constraints()

from swift.common.ring import RingBuilder
from swift.common.storage_policy import reload_storage_policies
from swift.common.wsgi import SwiftHttpProtocol, loadapp

reload_storage_policies()
sockets = {name: eventlet.listen(('127.0.0.1', 0)) for name in ('account', 'container', 'object', 'proxy')}
ports = {name: s.getsockname()[1] for name, s in sockets.items()}

for name in ('account', 'container', 'object'):
    builder = RingBuilder(1, 1, 1)
    builder.add_dev({'id': 0, 'region': 1, 'zone': 1, 'weight': 1.0, 'device': 'd1', 'meta': '',
                     'ip': '127.0.0.1', 'port': ports[name],
                     'replication_ip': '127.0.0.1', 'replication_port': ports[name]})
    builder.rebalance(seed='1')
    builder.get_ring().save(os.path.join(etc, name + '.ring.gz'))

# The four wait for one another as long as a busy machine takes: whoever gives up answers 503, or tells lists of an object later.
COMMON = f'[DEFAULT]\nswift_dir = {etc}\ndevices = {folder}/data\nmount_check = false\n' \
         'disable_fallocate = true\nfallocate_reserve = 0\nlog_level = ERROR\n' \
         'conn_timeout = 60\nnode_timeout = 60\ncontainer_update_timeout = 60\n'
# So much is passed on at once: Python takes its time for each piece, however small.
CHUNK = 1024 * 1024
FILTERS = {
    's3api': f's3_acl = true\nlocation = {keys["region"]}\ndns_compliant_bucket_names = true\n'
             'max_upload_part_num = 10000\nmin_segment_size = 5242880\n',
    'tempauth': ''.join(f'user_test_{user} = {secret} {".admin" if user == "owner" else ""}\n'
                        for user, secret in keys['users'].items()),
    'slo': 'max_manifest_segments = 10000\n',
}
PIPELINE = ['catch_errors', 'gatekeeper', 'listing_formats', 's3api', 'tempauth', 'bulk', 'copy', 'slo', 'dlo',
            'versioned_writes', 'symlink']


class Cache:
    """Swift wants a memcached; one process has no need of one."""

    def __init__(self):
        self.table = {}

    def get(self, key, *_, **__):
        value, until = self.table.get(key, (None, 0))
        return value if not until or until > time.time() else None

    def set(self, key, value, serialize=True, time=0, **__):
        now = globals()['time'].time()
        self.table[key] = (value, time and (time if time > 2592000 else now + time))

    def incr(self, key, delta=1, time=0, **__):
        value = max(0, int(self.get(key) or 0) + delta)
        self.set(key, value, time=time)
        return value

    def delete(self, key, *_, **__):
        self.table.pop(key, None)


def with_cache(app, cache=Cache()):
    def call(env, start_response):
        env['swift.cache'] = cache
        return app(env, start_response)
    return call


def signed_as_nobody(env):
    """Signature version 4 of a request, by the user who owns nothing: s3api itself answers no unsigned ones."""
    now = time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())
    scope = [now[:8], keys['region'], 's3', 'aws4_request']
    headers = {'host': env.get('HTTP_HOST', ''), 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'x-amz-date': now}

    def escape(text, safe=''):
        return quote(text.encode('latin1'), safe=safe + '-_.~')

    query = sorted(parse_qsl(env.get('QUERY_STRING', ''), keep_blank_values=True, encoding='latin1'))
    request = '\n'.join([
        env['REQUEST_METHOD'], escape(env.get('PATH_INFO', '/'), '/'),
        '&'.join(f'{escape(k)}={escape(v)}' for k, v in query),
        ''.join(f'{k}:{headers[k]}\n' for k in sorted(headers)), ';'.join(sorted(headers)), 'UNSIGNED-PAYLOAD'])
    text = '\n'.join(['AWS4-HMAC-SHA256', now, '/'.join(scope), hashlib.sha256(request.encode()).hexdigest()])
    key = b'AWS4' + keys['users']['nobody'].encode()
    for piece in scope:
        key = hmac.new(key, piece.encode(), hashlib.sha256).digest()
    del headers['host']
    headers['authorization'] = (f'AWS4-HMAC-SHA256 Credential=test:nobody/{"/".join(scope)}, '
                                'SignedHeaders=host;x-amz-content-sha256;x-amz-date, '
                                f'Signature={hmac.new(key, text.encode(), hashlib.sha256).hexdigest()}')
    return headers


def with_anonymous_readers(app):
    """Amazon lets anyone read what is public."""
    def call(env, start_response):
        unsigned = 'HTTP_AUTHORIZATION' not in env and 'X-Amz-Credential=' not in env.get('QUERY_STRING', '')
        if unsigned and env['REQUEST_METHOD'] in ('GET', 'HEAD'):
            added = signed_as_nobody(env)
            env.update({'HTTP_' + name.upper().replace('-', '_'): value for name, value in added.items()})
            if 'headers_raw' in env:
                env['headers_raw'] = tuple(env['headers_raw']) + tuple(added.items())
        return app(env, start_response)
    return call


def without_acls(app):
    """Buckets called no-acl… are as new ones at Amazon: a request that brings an ACL is refused."""
    body = (b'<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessControlListNotSupported</Code>'
            b'<Message>The bucket does not allow ACLs</Message></Error>')

    def call(env, start_response):
        query = dict(parse_qsl(env.get('QUERY_STRING', ''), keep_blank_values=True))
        brings_acl = 'HTTP_X_AMZ_ACL' in env or (env['REQUEST_METHOD'] == 'PUT' and 'acl' in query)
        if env.get('PATH_INFO', '').startswith('/no-acl') and brings_acl:
            env['wsgi.input'].read()
            start_response('400 Bad Request', [('Content-Type', 'application/xml'), ('Content-Length', str(len(body)))])
            return [body]
        return app(env, start_response)
    return call


def config_of(name):
    if name == 'proxy':
        filters = ''.join(f'[filter:{f}]\nuse = egg:swift#{f}\n{FILTERS.get(f, "")}' for f in PIPELINE)
        return (f'{COMMON}[pipeline:main]\npipeline = {" ".join(PIPELINE)} proxy-server\n{filters}'
                '[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\nallow_account_management = true\n'
                f'object_chunk_size = {CHUNK}\nclient_chunk_size = {CHUNK}\n')
    kind = 'mem_object' if name == 'object' and not has_xattrs() else name
    return (f'{COMMON}[pipeline:main]\npipeline = server\n[app:server]\nuse = egg:swift#{kind}\n'
            f'network_chunk_size = {CHUNK}\ndisk_chunk_size = {CHUNK}\n')


for name, listening in sockets.items():
    app = loadapp(write(name + '.conf', config_of(name)), global_conf={'log_name': name})
    if name == 'proxy':
        app = without_acls(with_anonymous_readers(with_cache(app)))
    # Clients of S3 insist on the spelling "ETag".
    eventlet.spawn(wsgi.server, listening, app, utils.NullLogger(), protocol=SwiftHttpProtocol,
                   capitalize_response_headers=False)

print(json.dumps({'port': ports['proxy']}), flush=True)
# A thread waits for the end, because eventlet's own stdin would block every server.
eventlet.tpool.execute(sys.stdin.readline)
os._exit(0)
