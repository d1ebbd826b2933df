import Type, { type Static } from "typebox";
import { OutletUseCase } from "./access.ts";
import { Email, Name } from "./name.ts";
import { Shape, Slug, Uuid } from "./shape.ts";

/** A value good once: what an invitation, a reset of a password or the proof of an address is redeemed by. */
export const OneTimeValue = Type.String({ minLength: 1, maxLength: 200 });

/** A new password; its rules are checked by the sign-on service, which names the one that failed. */
export const NewPassword = Type.String({
	minLength: 1,
	maxLength: 1_000,
	description: "8 to 128 characters",
});

/** What a new person may ask to be in a tenant they join without an invitation. */
export const requestedRoles = ["member", "rider"] as const;

/** What a new tenant is made from. */
export const Organization = Shape({
	name: Name(200),
	slug: Slug,
	org_size: Type.Optional(Name(32)),
	use_case: OutletUseCase,
});

/** `POST /api/v1/auth/register` (spec §4.1). The words of the members are the specification's. */
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

/** How a person came to stand in the tenant they asked for. */
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
	status: Type.String({ description: "active, or what it waits for: pending (riders), pending_review" }),
});
export type Joined = Static<typeof Joined>;
