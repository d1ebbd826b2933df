import Type from "typebox";
import { languages } from "../values/language.ts";
import { Uuid } from "../values/shape.ts";
import { DateTime, event, Version } from "./event.ts";

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
	data: Type.Object({ ...User, client_id: Type.String(), at: DateTime }),
});

export const authDeviceAdded = event({
	type: "auth.device.added",
	source: "/auth",
	subject: "user",
	because: "a user signed in on a device where they had not signed in before; not at their first sign-in",
	data: Type.Object({
		user_id: Uuid,
		device: Type.String({
			description: "Browser and system, such as Firefox, Windows; unknown if neither is",
		}),
		client_id: Type.String(),
		at: DateTime,
	}),
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
		at: DateTime,
	}),
});

/** The state of a person in the tenant of the envelope. `roles` apply only while `status` is active. */
export const authUserUpdated = event({
	type: "auth.user.updated",
	source: "/auth",
	subject: "user",
	because: "a person or their roles in a tenant changed; status removed: the membership ended",
	data: Type.Object({
		...User,
		email_verified: Type.Boolean(),
		locale: Type.Optional(
			Type.Union([Type.Enum(languages, { type: "string" }), Type.Null()], {
				description: "The language that the person chose on the pages; null if they chose none",
			}),
		),
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
const Link = {
	link_id: Uuid,
	email: Type.String(),
	expires_at: DateTime,
	locale: Type.Optional(
		Type.Enum(languages, {
			type: "string",
			description: "The language that the person chose, else the one of the request that caused the mail",
		}),
	),
};
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
	data: Type.Object({
		...Link,
		tenant_name: Type.String(),
		roles: Type.Array(Type.String()),
		invited_by: Type.Optional(Type.String({ description: "The name of the administrator" })),
	}),
});
