import Type, { type Static } from "typebox";
import { OutletUseCase } from "../access.ts";
import { Email, Name } from "../values/name.ts";
import { Shape, Slug, Uuid } from "../values/shape.ts";

/** A one-time value: it redeems an invitation, a password reset or the verification of an e-mail address. */
export const OneTimeValue = Type.String({ minLength: 1, maxLength: 200 });

/** A new password. The sign-on service checks its rules and names the one that failed. */
export const NewPassword = Type.String({
	minLength: 1,
	maxLength: 1_000,
	description: "8 to 128 characters",
});

/** The roles that a new person can request when they join a tenant without an invitation. */
export const requestedRoles = ["member", "rider"] as const;

/** The data of a new tenant. */
export const Organization = Shape({
	name: Name(200),
	slug: Slug,
	org_size: Type.Optional(Name(32)),
	use_case: OutletUseCase,
});

/** `POST /api/v1/auth/register` (spec §4.1). The member names are those of the specification. */
export const Registration = Shape({
	name: Name(200),
	email: Email,
	password: NewPassword,
	org_action: Type.Enum(["create_new", "join_existing"], { type: "string" }),
	organization: Type.Optional(Organization),
	tenant_slug: Type.Optional(Slug),
	invitation: Type.Optional(OneTimeValue),
	requested_role: Type.Optional(Type.Enum(requestedRoles, { type: "string" })),
	selected_plan: Type.Optional(Name(64)),
});
export type Registration = Static<typeof Registration>;

/** The result of a registration or a join: the person's membership. */
export const Joined = Type.Object({
	user: Type.Object({
		id: Uuid,
		email: Type.String(),
		email_verified: Type.Boolean(),
		name: Type.String(),
		roles: Type.Array(Type.String()),
		profile: Type.Object({ selected_plan: Type.Union([Type.String(), Type.Null()]) }),
	}),
	tenant: Type.Object({ id: Uuid, slug: Slug, name: Type.String() }),
	status: Type.String({ description: "active, pending (riders) or pending_review" }),
});
export type Joined = Static<typeof Joined>;
