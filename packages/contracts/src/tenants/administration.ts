import Type, { type Static } from "typebox";
import { globalRoles, OutletUseCase } from "../access.ts";
import { Email, Name } from "../values/name.ts";
import { Shape, Slug, Uuid } from "../values/shape.ts";
import { OutletIsolation, PublicTenant } from "./tenant.ts";

const DateTime = Type.String({ format: "date-time" });
const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Strings = Type.Array(Type.String());
const Uuids = Type.Array(Uuid);

export const Role = Type.Enum(globalRoles, { type: "string" });
const Roles = Type.Array(Role, { minItems: 1, maxItems: globalRoles.length, uniqueItems: true });
const OutletIds = Type.Array(Uuid, { maxItems: 500, uniqueItems: true });

/** The query parameters of every paged list. */
export const PageQuery = {
	cursor: Type.Optional(Type.String({ maxLength: 400, description: "next_cursor of the previous page" })),
	limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
};

/** The query parameter of lists that can be counted. */
export const TotalQuery = {
	total: Type.Optional(Type.Boolean({ description: "Whether the page has the total; it costs a count" })),
};

/** The search parameter of lists of people: a part of a name or of an e-mail address, case-insensitive. */
export const PeopleQuery = {
	...PageQuery,
	q: Type.Optional(Type.String({ maxLength: 100, description: "A part of a name or an address" })),
};

/**
 * How requests to join a tenant are decided: accepted immediately, by an administrator, or only with an
 * invitation.
 */
export const joinPolicies = ["open", "approval", "invite"] as const;
export const JoinPolicy = Type.Enum(joinPolicies, { type: "string" });
export type JoinPolicy = Static<typeof JoinPolicy>;

/** `…/settings`: the settings that a tenant's administrators can change. */
export const TenantSettings = Type.Object({
	...PublicTenant.properties,
	join_policy: JoinPolicy,
	outlet_isolation: OutletIsolation,
});
export type TenantSettings = Static<typeof TenantSettings>;

export const TenantSettingsChange = Shape({
	name: Type.Optional(Name(200)),
	branding: Type.Optional(
		Shape({
			/**
			 * Null removes the logo. The only other accepted value is the current URL; new images are uploaded.
			 */
			logo_url: Type.Optional(OrNull(Type.String({ maxLength: 2_048 }))),
			colour: Type.Optional(OrNull(Type.String({ pattern: "^#[0-9a-fA-F]{6}$" }))),
		}),
	),
	time_zone: Type.Optional(Type.String({ maxLength: 64 })),
	currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$" })),
	locale: Type.Optional(Type.String({ maxLength: 35 })),
	join_policy: Type.Optional(JoinPolicy),
	outlet_isolation: Type.Optional(OutletIsolation),
});
export type TenantSettingsChange = Static<typeof TenantSettingsChange>;

const OutletCode = Type.String({ pattern: "^[A-Z0-9][A-Z0-9_-]{0,31}$" });
const OutletSettings = Type.Record(Type.String(), Type.Unknown(), { maxProperties: 100 });

export const NewOutlet = Shape({
	code: OutletCode,
	name: Name(200),
	use_case: OutletUseCase,
	is_hq: Type.Optional(Type.Boolean()),
	settings: Type.Optional(OutletSettings),
});
export type NewOutlet = Static<typeof NewOutlet>;

export const OutletChange = Shape({
	code: Type.Optional(OutletCode),
	name: Type.Optional(Name(200)),
	use_case: Type.Optional(OutletUseCase),
	is_hq: Type.Optional(Type.Boolean()),
	status: Type.Optional(Type.Enum(["active", "inactive"], { type: "string" })),
	settings: Type.Optional(OutletSettings),
});
export type OutletChange = Static<typeof OutletChange>;

const EmailVerified = Type.Boolean({
	description: "Whether the person has verified the address; anyone can register any address",
});

/** A member of a tenant, for its administrators. */
export const Member = Type.Object({
	user_id: Uuid,
	email: Type.String(),
	email_verified: EmailVerified,
	name: Type.String(),
	roles: Strings,
	status: Type.String(),
	is_hq: Type.Boolean(),
	is_hq_user: Type.Boolean({ description: "Not limited to outlets: headquarters, admin or superuser" }),
	outlet_ids: Uuids,
	joined_at: DateTime,
});
export type Member = Static<typeof Member>;

/** A person who gets messages of another service. */
export const Recipient = Type.Object({
	user_id: Uuid,
	email: Type.String(),
	name: Type.String(),
	roles: Strings,
	status: Type.String(),
	email_verified: EmailVerified,
});
export type Recipient = Static<typeof Recipient>;

export const MemberRoles = Shape({ roles: Roles });
export const MemberOutlets = Shape({ outlet_ids: OutletIds, is_hq: Type.Optional(Type.Boolean()) });

/** A person whose request to join is pending. `id` is the person's. */
export const JoinRequest = Type.Object({
	id: Uuid,
	email: Type.String(),
	email_verified: EmailVerified,
	name: Type.String(),
	requested_roles: Strings,
	status: Type.String(),
	requested_at: DateTime,
});
export type JoinRequest = Static<typeof JoinRequest>;

export const Approval = Shape({
	roles: Type.Optional(Roles),
	outlet_ids: Type.Optional(OutletIds),
	is_hq: Type.Optional(Type.Boolean()),
});
export type Approval = Static<typeof Approval>;

export const NewInvitation = Shape({
	email: Email,
	roles: Roles,
	outlet_ids: Type.Optional(OutletIds),
	is_hq: Type.Optional(Type.Boolean()),
	expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: 7 })),
});
export type NewInvitation = Static<typeof NewInvitation>;

export const InvitationStatus = Type.Enum(["open", "accepted", "withdrawn", "expired"], { type: "string" });

export const Invitation = Type.Object({
	id: Uuid,
	email: Type.String(),
	roles: Strings,
	outlet_ids: Uuids,
	is_hq: Type.Boolean(),
	is_hq_user: Type.Boolean({ description: "Not limited to outlets: headquarters, admin or superuser" }),
	status: InvitationStatus,
	created_at: DateTime,
	expires_at: DateTime,
});
export type Invitation = Static<typeof Invitation>;

/** What the invited person reads of an invitation that is open. */
export const InvitationPreview = Type.Object({
	email: Type.String(),
	tenant_slug: Slug,
	tenant_name: Type.String(),
	invited_by: OrNull(Type.String({ description: "The name of the administrator" })),
	roles: Strings,
	expires_at: DateTime,
});
export type InvitationPreview = Static<typeof InvitationPreview>;

/** An entry of the audit log. */
export const AuditEntry = Type.Object({
	id: Uuid,
	at: DateTime,
	action: Type.String(),
	actor_user_id: OrNull(Uuid),
	tenant_id: OrNull(Uuid),
	subject: OrNull(Type.String()),
	before: OrNull(Type.Unknown()),
	after: OrNull(Type.Unknown()),
	ip: OrNull(Type.String()),
	request_id: OrNull(Type.String()),
});
export type AuditEntry = Static<typeof AuditEntry>;

/**
 * An entry of a tenant's audit log with the current names of its ids. A name is null if the record no longer
 * exists or does not belong to the tenant.
 */
export const TenantAuditEntry = Type.Object({
	...AuditEntry.properties,
	actor_name: OrNull(Type.String()),
	subject_name: OrNull(Type.String({ description: "Name of a person, an outlet or an invitation" })),
});
export type TenantAuditEntry = Static<typeof TenantAuditEntry>;

/** The filters of an audit log. */
export const AuditQuery = {
	...PageQuery,
	from: Type.Optional(Type.String({ format: "date-time", description: "At this time or later" })),
	to: Type.Optional(Type.String({ format: "date-time", description: "Before this time" })),
	actor: Type.Optional(Uuid),
	action: Type.Optional(Type.String({ maxLength: 100, description: "For example outlet.opened" })),
	about: Type.Optional(
		Type.String({
			pattern: "^[a-z_]{1,40}(,[a-z_]{1,40}){0,39}$",
			"x-error": "must be up to 40 words, separated by commas",
			description: "The first words of actions, separated by commas: session,member",
		}),
	),
};

/** An entry of the audit log of a service with its own log. */
export const ServiceAuditEntry = Type.Object({
	id: Type.String(),
	tenant_id: OrNull(Uuid),
	at: DateTime,
	actor_kind: Type.String({ description: "user, client, key or system" }),
	actor_id: Type.String(),
	action: Type.String(),
	subject: Type.String(),
	detail: Type.Unknown({ description: "The values before and after, or what was passed" }),
	request_id: OrNull(Type.String()),
	address: OrNull(Type.String()),
});
export type ServiceAuditEntry = Static<typeof ServiceAuditEntry>;

/** A tenant, for the platform owner. */
export const AdminTenant = Type.Object({
	...PublicTenant.properties,
	use_case: OrNull(Type.String()),
	org_size: OrNull(Type.String()),
	join_policy: Type.String(),
	created_at: DateTime,
});
export type AdminTenant = Static<typeof AdminTenant>;

/** A person, for the platform owner. */
export const AdminUser = Type.Object({
	user_id: Uuid,
	email: Type.String(),
	email_verified: Type.Boolean(),
	name: Type.String(),
	status: Type.String(),
	primary_tenant_id: OrNull(Uuid),
	created_at: DateTime,
});
export type AdminUser = Static<typeof AdminUser>;

const idTokenAtRefresh =
	"Whether every refresh returns an ID token; otherwise only if the request's `scope` includes openid";
const firstParty =
	"Whether its access tokens always have the scope lango.api and every claim, and can act for the person at every service. " +
	"Other clients get lango.api only if `scopes` contains it and they request it";

/**
 * An OAuth client, for the platform owner (spec §2.7). Its secret is only in the response that creates it.
 */
export const AdminClient = Type.Object({
	client_id: Type.String(),
	name: Type.String(),
	redirect_uris: Strings,
	post_logout_redirect_uris: Strings,
	scopes: Strings,
	public: Type.Boolean(),
	pkce_required: Type.Boolean(),
	id_token_algorithm: Type.String(),
	id_token_at_refresh: Type.Boolean({ description: idTokenAtRefresh }),
	first_party: Type.Boolean({ description: firstParty }),
	built_in: Type.Boolean({
		description: "Built-in client of the platform: updated at every start, cannot be removed",
	}),
	created_at: DateTime,
});
export type AdminClient = Static<typeof AdminClient>;

const Addresses = Type.Array(Type.String({ minLength: 1, maxLength: 2_048 }), {
	maxItems: 50,
	uniqueItems: true,
});
const Scopes = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
	minItems: 1,
	maxItems: 100,
	uniqueItems: true,
});
const ClientSecret = Type.String({ minLength: 32, maxLength: 200, pattern: "^[\\x21-\\x7e]+$" });
const IdTokenAlgorithm = Type.Enum(["RS256", "ES256"], { type: "string" });

/** The id of an OAuth client, chosen when it is registered. */
export const ClientId = Type.String({
	pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{1,99}$",
	"x-error": "must have 2 to 100 letters, digits and . _ -, and begin with a letter or digit",
});

export const NewClient = Shape({
	client_id: ClientId,
	name: Name(200),
	redirect_uris: Addresses,
	post_logout_redirect_uris: Type.Optional(Addresses),
	scopes: Scopes,
	public: Type.Boolean(),
	client_secret: Type.Optional(ClientSecret),
	pkce_required: Type.Optional(Type.Boolean()),
	id_token_algorithm: Type.Optional(IdTokenAlgorithm),
	id_token_at_refresh: Type.Optional(Type.Boolean({ description: `${idTokenAtRefresh}. Default: true` })),
	first_party: Type.Optional(Type.Boolean({ description: `${firstParty}. Default: false` })),
});
export type NewClient = Static<typeof NewClient>;

export const ClientChange = Shape({
	name: Type.Optional(Name(200)),
	redirect_uris: Type.Optional(Addresses),
	post_logout_redirect_uris: Type.Optional(Addresses),
	scopes: Type.Optional(Scopes),
	client_secret: Type.Optional(ClientSecret),
	new_secret: Type.Optional(
		Type.Literal(true, {
			description: "creates a new secret, which is returned once; the old one becomes invalid",
		}),
	),
	pkce_required: Type.Optional(Type.Boolean()),
	id_token_algorithm: Type.Optional(IdTokenAlgorithm),
	id_token_at_refresh: Type.Optional(Type.Boolean({ description: idTokenAtRefresh })),
	first_party: Type.Optional(Type.Boolean({ description: firstParty })),
});
export type ClientChange = Static<typeof ClientChange>;

/** One of a person's own sessions: one sign-in at one client. */
export const OwnSession = Type.Object({
	id: Uuid,
	browser_session_id: OrNull(Uuid),
	client_id: Type.String(),
	client_name: Type.String(),
	tenant_id: Uuid,
	tenant_slug: Slug,
	signed_in_at: DateTime,
	last_used_at: DateTime,
	expires_at: DateTime,
	is_current: Type.Boolean(),
	device: OrNull(
		Type.String({ description: 'Browser and system at the sign-in, such as "Firefox, Windows"' }),
	),
	place: OrNull(
		Type.Object(
			{
				country: Type.String({ pattern: "^[A-Z]{2}$", description: "ISO 3166-1 alpha-2" }),
				city: OrNull(Type.String({ description: "Its English name" })),
			},
			{ description: "Where the address of the sign-in is, if the installation has a database of places" },
		),
	),
	is_this_device: Type.Boolean({ description: "Whether it is a session of the caller's browser" }),
});
export type OwnSession = Static<typeof OwnSession>;

/** A signing key of the platform, without its private key. */
export const AdminKey = Type.Object({
	kid: Type.String(),
	algorithm: Type.Enum(["ES256", "RS256"], { type: "string" }),
	status: Type.Enum(["pending", "active", "retired"], { type: "string" }),
	since: DateTime,
	goes_on_at: Type.String({
		format: "date-time",
		description: "When a pending key may sign, an active key is replaced, or a retired key is removed",
	}),
});
export type AdminKey = Static<typeof AdminKey>;
