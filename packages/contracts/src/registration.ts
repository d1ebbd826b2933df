import Type, { type Static } from "typebox";
import { OutletUseCase } from "./access.ts";
import { Shape, Slug, Uuid } from "./shape.ts";

/** One line of text: no control characters, and something to see. */
export const Line = (maxLength: number) =>
	Type.String({ minLength: 1, maxLength, pattern: "^[^\\p{Cc}]*[^\\s\\p{Cc}][^\\p{Cc}]*$" });

/** An e-mail address, as far as its form can tell. */
export const Email = Type.String({
	minLength: 3,
	maxLength: 254,
	pattern: "^[^\\s@\\p{Cc}]{1,64}@[^\\s@\\p{Cc}]+\\.[^\\s@.\\p{Cc}]{2,}$",
});

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
	name: Line(200),
	slug: Slug,
	org_size: Type.Optional(Line(32)),
	use_case: OutletUseCase,
});

/** `POST /api/v1/auth/register` (spec §4.1). The words of the members are the specification's. */
export const Registration = Shape({
	name: Line(200),
	email: Email,
	password: NewPassword,
	org_action: Type.Enum(["create_new", "join_existing"], { type: "string" }),
	organization: Type.Optional(Organization),
	tenant_slug: Type.Optional(Slug),
	invitation: Type.Optional(OneTimeValue),
	requested_role: Type.Optional(Type.Enum(requestedRoles, { type: "string" })),
	selected_plan: Type.Optional(Line(64)),
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
