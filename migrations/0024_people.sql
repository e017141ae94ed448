-- A person who signs in with OpenID Connect stands among the tokens, so that everything that knows tokens knows people.
alter table tokens add column person text;
comment on column tokens.person is 'A digest of issuer and subject. Null: a token that somebody has. Nobody has the token of a person.';
create unique index tokens_person on tokens (person) where person is not null;
