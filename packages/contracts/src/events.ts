import Type, { type Static, type TSchema } from "typebox";
import { Uuid } from "./shape.ts";
import { Subscription } from "./subscription.ts";
import { OutletIsolation } from "./tenant.ts";

/** An event type: its name on the wire, its producer, its subject, and the schema of its data. */
export type EventType<S extends TSchema = TSchema> = {
	type: string;
	source: string;
	subject: string;
	data: S;
	because: string;
};

const event = <const S extends TSchema>(definition: EventType<S>): EventType<S> => definition;

/** CloudEvents 1.0 in JSON, with the members of every Lango event. `subject` is the id of the entity. */
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
	/** The position in the trace that caused the event (CloudEvents Distributed Tracing extension). */
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
 * The outlets assigned to a person in the tenant of the envelope, of any status; only active ones count. In a
 * tenant with exactly one active outlet, every member has that outlet. In other tenants an empty list means
 * no outlet.
 */
const AssignedOutlets = Type.Array(Uuid, { description: "Outlets assigned in this tenant, of any status" });
/**
 * Whether the person is not limited to outlets: an active member of the headquarters, `admin` or `superuser`.
 */
const IsHq = Type.Boolean({
	description: "Not limited to outlets: an active member of the headquarters, admin or superuser",
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
	because: "a session ended early: its tokens are invalid from now on",
	data: Type.Object({
		session_id: Uuid,
		user_id: Uuid,
		because: Type.String(),
		at: Type.String({ format: "date-time" }),
	}),
});

/**
 * The version of the entity in a state event. An event with a lower version than the applied one is ignored.
 */
const Version = Type.Integer({ minimum: 1 });
const OrNull = <const T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** The state of a person in the tenant of the envelope. `roles` apply only while `status` is active. */
export const authUserUpdated = event({
	type: "auth.user.updated",
	source: "/auth",
	subject: "user",
	because: "a person or their roles in a tenant changed; status removed: the membership ended",
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
	because: "a person can no longer sign in, in any tenant",
	data: Type.Object({ user_id: Uuid, version: Version }),
});

export const authUserDeleted = event({
	type: "auth.user.deleted",
	source: "/auth",
	subject: "user",
	because: "a person was erased: every service erases their personal data",
	data: Type.Object({ user_id: Uuid, version: Version }),
});

/**
 * The event contains no secret: the service that sends the mail requests the link by its id, with an API key.
 */
const Link = { link_id: Uuid, email: Type.String(), expires_at: Type.String({ format: "date-time" }) };
const UserLink = Type.Object({ ...Link, user_id: Uuid, name: Type.String() });

export const authPasswordResetRequested = event({
	type: "auth.password.reset_requested",
	source: "/auth",
	subject: "user",
	because: "a person requested a password reset",
	data: UserLink,
});

export const authEmailVerificationRequested = event({
	type: "auth.email.verification_requested",
	source: "/auth",
	subject: "user",
	because: "a person must verify their e-mail address",
	data: UserLink,
});

export const authInvitationCreated = event({
	type: "auth.invitation.created",
	source: "/auth",
	subject: "invitation",
	because: "a tenant invited a person by e-mail address",
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
	because: "create_new registration (spec §6); services use this id and never create their own",
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
	because: "sign-in to the tenant is blocked and its tokens are refused until it is resumed",
	data: Type.Object({ tenant_id: Uuid, slug: Type.String(), version: Version }),
});

export const tenantDeleted = event({
	type: "tenant.deleted",
	source: "/auth",
	subject: "tenant",
	because: "a tenant was erased: every service erases its data",
	data: Type.Object({ tenant_id: Uuid, slug: Type.String(), version: Version }),
});

export const outletChanged = event({
	type: "outlet.changed",
	source: "/auth",
	subject: "outlet",
	because: "an outlet was created, changed or archived",
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
	because: "a tenant's entitlements changed: gates and tokens apply them from now on (spec §6)",
	data: Subscription,
});

const DateTime = Type.String({ format: "date-time" });
const Minor = Type.Integer({ description: "In the currency's minor units" });
const OfSubscription = { tenant_id: Uuid, plan: Type.String(), version: Version };

export const subscriptionTrialEnding = event({
	type: "subscription.trial_ending",
	source: "/subscriptions",
	subject: "tenant",
	because: "an unpaid trial ends in three days",
	data: Type.Object({ ...OfSubscription, trial_end: DateTime }),
});

export const subscriptionExpired = event({
	type: "subscription.expired",
	source: "/subscriptions",
	subject: "tenant",
	because: "a subscription expired, and its grace period began (spec §3)",
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
	because: "the grace period ended: features are off, and the tenant is read-only (spec §3)",
	data: Type.Object({ ...OfSubscription, ended_at: DateTime }),
});

/**
 * A payment request. A retry has the same `operation_id` and a higher `attempt`, and is paid at most once.
 */
export const subscriptionBillingRequested = event({
	type: "subscription.billing.requested",
	source: "/subscriptions",
	subject: "operation",
	because:
		"a payment of a tenant is due: a first payment, a change of plan, a renewal or an overage (spec §6)",
	data: Type.Object({
		operation_id: Uuid,
		tenant_id: Uuid,
		kind: Type.Enum(["checkout", "change", "renewal", "overage"], { type: "string" }),
		attempt: Type.Integer({ minimum: 1 }),
		amount_minor: Type.Integer({ minimum: 1, description: "Sum of the lines, in minor units" }),
		currency: Type.String(),
		lines: Type.Array(
			Type.Object({
				what: Type.Enum(["plan", "add_on", "credit", "balance", "overage"], { type: "string" }),
				code: Type.String({ description: "Code of the plan, the add-on or the metric" }),
				amount_minor: Minor,
			}),
		),
	}),
});

export const subscriptionOverageUnpaid = event({
	type: "subscription.overage_unpaid",
	source: "/subscriptions",
	subject: "operation",
	because: "the last attempt to collect the overage of a period failed; nothing else follows from it",
	data: Type.Object({
		operation_id: Uuid,
		tenant_id: Uuid,
		attempt: Type.Integer({ minimum: 1, description: "Number of payment attempts" }),
		amount_minor: Type.Integer({ minimum: 1, description: "Amount owed, in minor units" }),
		currency: Type.String(),
		period_ends_at: DateTime,
		failure: OrNull(
			Type.String({
				description: "Why the last attempt failed, from the treasury; null if unknown",
			}),
		),
	}),
});

const Payment = { operation_id: Uuid, tenant_id: Uuid };

export const treasuryPaymentSucceeded = event({
	type: "treasury.payment.succeeded",
	source: "/treasury",
	subject: "operation",
	because: "the payment of an operation succeeded",
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
	because: "an attempt to collect the payment of an operation failed",
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
	because: "a tenant has used 80 % or all of a limit; published once per period for each of the two",
	data: Type.Object({
		tenant_id: Uuid,
		metric: Type.String(),
		limit: Type.String(),
		limit_value: Type.Integer(),
		used: Type.Integer(),
		percent: Type.Enum([80, 100], { type: "integer" }),
		window: Type.String({ description: "The day or the period of the usage" }),
	}),
});

export const posPinLocked = event({
	type: "pos.pin.locked",
	source: "/pos",
	subject: "user",
	because:
		"a person was locked at every till after too many wrong PINs within an hour; notify the tenant's administrators",
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

/** The state of a person's access in one service after a change. Each domain service has its own type. */
export const accessChanged = (service: string) =>
	event({
		type: `${service}.access.changed`,
		source: `/${service}`,
		subject: "user",
		because: "a role in this service was assigned to a person or revoked",
		data: AccessState,
	});

/** The state of a tenant's own role in one service after a change. Each domain service has its own type. */
export const roleChanged = (service: string) =>
	event({
		type: `${service}.role.changed`,
		source: `/${service}`,
		subject: "role",
		because: "a tenant created, changed or removed its own role in this service",
		data: RoleState,
	});

/** Every event type. The documentation of events is generated from this list. */
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
