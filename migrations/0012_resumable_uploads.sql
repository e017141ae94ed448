-- Files that are uploaded before their task, in as many requests as it takes (tus).

create table resumable_uploads (
  upload_id uuid primary key,
  token_id text not null,
  length bigint check (length >= 0),
  received bigint not null default 0 check (received >= 0),
  place json,
  metadata json not null,
  sha256 text,
  asked_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table resumable_uploads is 'Uploads that are under way or wait for their task. The id is also that of the blob. A task that takes one over deletes its row.';
comment on column resumable_uploads.token_id is 'The token that began it, or operator. No reference: when the token is deleted, the row still leads the sweeper to the bytes.';
comment on column resumable_uploads.length is 'Null while the client has not told it.';
comment on column resumable_uploads.received is 'Bytes that are stored for good. There may lie more, which nobody was told of.';
comment on column resumable_uploads.place is 'What a store in S3 has of it (storage/s3-growing.ts); null on disk.';
comment on column resumable_uploads.metadata is 'What the client told, by key.';
comment on column resumable_uploads.sha256 is 'Set when the blob is whole and can be read.';
comment on column resumable_uploads.asked_at is 'When a client last wanted to go on while another request still held the upload.';
create index resumable_uploads_token on resumable_uploads (token_id);
create index resumable_uploads_expiry on resumable_uploads (expires_at, upload_id);
