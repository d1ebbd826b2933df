import Type, { type Static, type TSchema } from "typebox";
import { Uuid } from "./shape.ts";
import { Subscription } from "./subscription.ts";
import { OutletIsolation } from "./tenant.ts";

/** One kind of event: its type on the wire, the service it comes from, what its subject is, and the shape of its data. */
export type EventType<S extends TSchema = TSchema> = {
	type: string;
	source: string;
	subject: string;
	data: S;
	because: string;
};

const event = <const S extends TSchema>(definition: EventType<S>): EventType<S> => definition;

/** CloudEvents 1.0 in JSON with the members every Lango event has. `subject` is the id of the entity the event is about. */
export const EventEnvelope = Type.Object({
	specversion: Type.Literal("1.0"),
	id: Uuid,
	source: Type.String(),
	type: Type.String({ pattern: "^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)+$" }),
	time: Type.String({ format: "date-time" }),
	subject: Type.String(),
	datacontenttype: Type.Literal("application/json"),
	tenantid: Type.Optional(Uuid),
	tenantslug: Type.Optional(Type.String()),
	correlationid: Type.Optional(Type.String()),
	/** Where in a trace it was caused (CloudEvents, Distributed Tracing extension). */
	traceparent: Type.Optional(Type.String()),
	tracestate: Type.Optional(Type.String()),
	data: Type.Unknown(),
});
export type EventEnvelope<D = unknown> = Omit<Static<typeof EventEnvelope>, "data"> & { data: D };

const User = {
	user_id: Uuid,
	email: Type.String(),
	name: Type.String(),
	roles: Type.Array(Type.String()),
	status: Type.String(),
};

/**
 * The outlets assigned to a person in the tenant of the envelope, whatever their status. A reader counts the active ones; in
 * a tenant with exactly one active outlet every member has that outlet. An empty list in other tenants means no outlet.
 */
const AssignedOutlets = Type.Array(Uuid, { description: "Outlets assigned in this tenant, of any status" });
/** Whether the person is bound to no outlet: they belong to the headquarters, or hold `admin` or `superuser`. */
const IsHq = Type.Boolean({
	description: "Not bound to an outlet: an active member of the headquarters, an admin or a superuser",
});

export const authUserCreated = event({
	type: "auth.user.created",
	source: "/auth",
	subject: "user",
	because: "a new user exists (spec §6)",
	data: Type.Object({
		...User,
		is_hq: Type.Optional(IsHq),
		outlet_ids: Type.Optional(AssignedOutlets),
	}),
});

export const authUserLogin = event({
	type: "auth.user.login",
	source: "/auth",
	subject: "user",
	because: "a user signed in (spec §6)",
	data: Type.Object({ ...User, client_id: Type.String(), at: Type.String({ format: "date-time" }) }),
});

export const authSessionRevoked = event({
	type: "auth.session.revoked",
	source: "/auth",
	subject: "session",
	because: "a session ended before its time: its tokens are worth nothing from now on",
	data: Type.Object({
		session_id: Uuid,
		user_id: Uuid,
		because: Type.String(),
		at: Type.String({ format: "date-time" }),
	}),
});

/** State events carry the version of the entity they tell of; one lower than what was applied is ignored. */
const Version = Type.Integer({ minimum: 1 });
const OrNull = <const T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** A person as they stand in the tenant of the envelope; `roles` count only while `status` is active. */
export const authUserUpdated = event({
	type: "auth.user.updated",
	source: "/auth",
	subject: "user",
	because: "a person, or what they may do in a tenant, changed; status removed: they no longer belong to it",
	data: Type.Object({
		...User,
		email_verified: Type.Boolean(),
		is_hq: IsHq,
		outlet_ids: AssignedOutlets,
		version: Version,
	}),
});

export const authUserDisabled = event({
	type: "auth.user.disabled",
	source: "/auth",
	subject: "user",
	because: "a person may no longer sign in, in any tenant",
	data: Type.Object({ user_id: Uuid, version: Version }),
});

export const authUserDeleted = event({
	type: "auth.user.deleted",
	source: "/auth",
	subject: "user",
	because: "a person was erased: whoever holds personal data of theirs erases it too",
	data: Type.Object({ user_id: Uuid, version: Version }),
});

/** Whoever sends the mail asks the sign-on service for the link by its id, with an API key: the event holds no secret. */
const Link = { link_id: Uuid, email: Type.String(), expires_at: Type.String({ format: "date-time" }) };
const UserLink = Type.Object({ ...Link, user_id: Uuid, name: Type.String() });

export const authPasswordResetRequested = event({
	type: "auth.password.reset_requested",
	source: "/auth",
	subject: "user",
	because: "a person asked for a link to set a new password",
	data: UserLink,
});

export const authEmailVerificationRequested = event({
	type: "auth.email.verification_requested",
	source: "/auth",
	subject: "user",
	because: "a person is to prove that the address is theirs",
	data: UserLink,
});

export const authInvitationCreated = event({
	type: "auth.invitation.created",
	source: "/auth",
	subject: "invitation",
	because: "a tenant invited an address",
	data: Type.Object({ ...Link, tenant_name: Type.String(), roles: Type.Array(Type.String()) }),
});

const Tenant = {
	tenant_id: Uuid,
	slug: Type.String(),
	name: Type.String(),
	status: Type.String(),
	use_case: OrNull(Type.String()),
	org_size: OrNull(Type.String()),
	branding: Type.Object({ logo_url: OrNull(Type.String()), colour: OrNull(Type.String()) }),
	time_zone: Type.String(),
	currency: Type.String(),
	locale: Type.String(),
	outlet_isolation: Type.Optional(OutletIsolation),
	version: Version,
};

export const tenantCreated = event({
	type: "tenant.created",
	source: "/auth",
	subject: "tenant",
	because: "create_new registration (spec §6); services use this id and never make their own",
	data: Type.Object(Tenant),
});

export const tenantUpdated = event({
	type: "tenant.updated",
	source: "/auth",
	subject: "tenant",
	because: "a tenant's name, slug, branding or settings changed, or it was resumed",
	data: Type.Object({ ...Tenant, previous_slug: Type.Optional(Type.String()) }),
});

export const tenantSuspended = event({
	type: "tenant.suspended",
	source: "/auth",
	subject: "tenant",
	because: "nobody signs in to the tenant and its tokens are refused until it is resumed",
	data: Type.Object({ tenant_id: Uuid, slug: Type.String(), version: Version }),
});

export const tenantDeleted = event({
	type: "tenant.deleted",
	source: "/auth",
	subject: "tenant",
	because: "a tenant was erased: every service erases what it keeps of it",
	data: Type.Object({ tenant_id: Uuid, slug: Type.String(), version: Version }),
});

export const outletChanged = event({
	type: "outlet.changed",
	source: "/auth",
	subject: "outlet",
	because: "an outlet was made, changed or archived",
	data: Type.Object({
		outlet_id: Uuid,
		tenant_id: Uuid,
		code: Type.String(),
		name: Type.String(),
		use_case: Type.String(),
		is_hq: Type.Boolean(),
		status: Type.String(),
		settings: Type.Record(Type.String(), Type.Unknown()),
		version: Version,
	}),
});

export const subscriptionEntitlementsChanged = event({
	type: "subscription.entitlements_changed",
	source: "/subscriptions",
	subject: "tenant",
	because: "what a tenant may use changed: gates and tokens go by this from now on (spec §6)",
	data: Subscription,
});

const DateTime = Type.String({ format: "date-time" });
const Minor = Type.Integer({ description: "In the currency's lowest units" });
const OfSubscription = { tenant_id: Uuid, plan: Type.String(), version: Version };

export const subscriptionTrialEnding = event({
	type: "subscription.trial_ending",
	source: "/subscriptions",
	subject: "tenant",
	because: "a trial that nobody has paid for ends in three days",
	data: Type.Object({ ...OfSubscription, trial_end: DateTime }),
});

export const subscriptionExpired = event({
	type: "subscription.expired",
	source: "/subscriptions",
	subject: "tenant",
	because: "a subscription ran out, and its grace began (spec §3)",
	data: Type.Object({
		...OfSubscription,
		because: Type.Enum(["trial_ended", "cancelled", "unpaid"], { type: "string" }),
		expired_at: DateTime,
		grace_until: DateTime,
	}),
});

export const subscriptionGraceEnded = event({
	type: "subscription.grace_ended",
	source: "/subscriptions",
	subject: "tenant",
	because: "the grace after an expiry is over: features are off, and the tenant reads only (spec §3)",
	data: Type.Object({ ...OfSubscription, ended_at: DateTime }),
});

/** What is to be paid. Asked again (a retry), it has the same `operation_id` and a higher `attempt`, and is paid once. */
export const subscriptionBillingRequested = event({
	type: "subscription.billing.requested",
	source: "/subscriptions",
	subject: "operation",
	because:
		"a tenant has something to pay: a first payment, a change of plan, a renewal or an overage (spec §6)",
	data: Type.Object({
		operation_id: Uuid,
		tenant_id: Uuid,
		kind: Type.Enum(["checkout", "change", "renewal", "overage"], { type: "string" }),
		attempt: Type.Integer({ minimum: 1 }),
		amount_minor: Type.Integer({ minimum: 1, description: "The sum of the lines, in lowest units" }),
		currency: Type.String(),
		lines: Type.Array(
			Type.Object({
				what: Type.Enum(["plan", "add_on", "credit", "balance", "overage"], { type: "string" }),
				code: Type.String({ description: "Of the plan, the add-on or the metric" }),
				amount_minor: Minor,
			}),
		),
	}),
});

export const subscriptionOverageUnpaid = event({
	type: "subscription.overage_unpaid",
	source: "/subscriptions",
	subject: "operation",
	because:
		"the overage of a period was asked for the last time and is owed still; nothing else follows from it",
	data: Type.Object({
		operation_id: Uuid,
		tenant_id: Uuid,
		attempt: Type.Integer({ minimum: 1, description: "How often it was asked for" }),
		amount_minor: Type.Integer({ minimum: 1, description: "What is owed, in lowest units" }),
		currency: Type.String(),
		period_ends_at: DateTime,
		failure: OrNull(
			Type.String({
				description: "Why the last attempt failed, as the treasury said; null: it said nothing",
			}),
		),
	}),
});

const Payment = { operation_id: Uuid, tenant_id: Uuid };

export const treasuryPaymentSucceeded = event({
	type: "treasury.payment.succeeded",
	source: "/treasury",
	subject: "operation",
	because: "what an operation asked for was paid",
	data: Type.Object({
		...Payment,
		payment_id: Uuid,
		amount_minor: Minor,
		currency: Type.String(),
		paid_at: DateTime,
	}),
});

export const treasuryPaymentFailed = event({
	type: "treasury.payment.failed",
	source: "/treasury",
	subject: "operation",
	because: "an attempt to collect what an operation asked for was refused",
	data: Type.Object({
		...Payment,
		attempt: Type.Integer({ minimum: 1 }),
		reason: Type.String({ maxLength: 200 }),
	}),
});

export const subscriptionLimitWarning = event({
	type: "subscription.limit_warning",
	source: "/subscriptions",
	subject: "tenant",
	because: "a tenant has used 80 % or all of a limit; told once a period for each of the two",
	data: Type.Object({
		tenant_id: Uuid,
		metric: Type.String(),
		limit: Type.String(),
		limit_value: Type.Integer(),
		used: Type.Integer(),
		percent: Type.Enum([80, 100], { type: "integer" }),
		window: Type.String({ description: "The day or the period it is about" }),
	}),
});

export const posPinLocked = event({
	type: "pos.pin.locked",
	source: "/pos",
	subject: "user",
	because:
		"too many wrong PINs within an hour locked a person at every till; the tenant's administrators are to be notified",
	data: Type.Object({
		user_id: Uuid,
		tenant_id: Uuid,
		outlet_id: Uuid,
		terminal_id: Uuid,
		failures: Type.Integer({ minimum: 1 }),
		locked_until: DateTime,
	}),
});

const AccessState = Type.Object({
	user_id: Uuid,
	tenant_id: Uuid,
	roles: Type.Array(
		Type.Object({ role: Type.String(), outlet_id: OrNull(Uuid), expires_at: OrNull(DateTime) }),
	),
	version: Version,
});

const RoleState = Type.Object({
	role_id: Uuid,
	tenant_id: Uuid,
	code: Type.String(),
	is_deleted: Type.Boolean(),
	permissions: Type.Array(Type.String()),
	version: Version,
});

/** What a person has in one service, as it stands after a change there; each domain service has its own. */
export const accessChanged = (service: string) =>
	event({
		type: `${service}.access.changed`,
		source: `/${service}`,
		subject: "user",
		because: "a role was assigned to a person in this service, or taken back",
		data: AccessState,
	});

/** A tenant's own role in one service, as it stands after a change; each domain service has its own. */
export const roleChanged = (service: string) =>
	event({
		type: `${service}.role.changed`,
		source: `/${service}`,
		subject: "role",
		because: "a tenant made, changed or removed a role of its own in this service",
		data: RoleState,
	});

/** Every event there is; the page of events is printed from this list. */
export const eventTypes: readonly EventType[] = [
	authUserCreated,
	authUserLogin,
	authSessionRevoked,
	authUserUpdated,
	authUserDisabled,
	authUserDeleted,
	authPasswordResetRequested,
	authEmailVerificationRequested,
	authInvitationCreated,
	tenantCreated,
	tenantUpdated,
	tenantSuspended,
	tenantDeleted,
	outletChanged,
	subscriptionEntitlementsChanged,
	subscriptionTrialEnding,
	subscriptionExpired,
	subscriptionGraceEnded,
	subscriptionLimitWarning,
	subscriptionBillingRequested,
	subscriptionOverageUnpaid,
	treasuryPaymentSucceeded,
	treasuryPaymentFailed,
	posPinLocked,
];
