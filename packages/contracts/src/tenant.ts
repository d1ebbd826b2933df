import Type, { type Static } from "typebox";
import { OutletUseCase } from "./access.ts";
import { Slug, Uuid } from "./shape.ts";

/**
 * Whether people who are bound to outlets read other outlets' rows when they name no outlet. `strict`: no. `open`: yes.
 * Changes stay within the person's outlets either way. A message of an older release lacks it and means `strict`.
 */
export const outletIsolations = ["strict", "open"] as const;
export const OutletIsolation = Type.Enum(outletIsolations, { type: "string" });
export type OutletIsolation = (typeof outletIsolations)[number];

/** A tenant as anybody may see it: `GET /api/v1/tenants/by-slug/{slug}` (spec §4.1). */
export const PublicTenant = Type.Object({
	id: Uuid,
	name: Type.String(),
	slug: Slug,
	status: Type.String(),
	branding: Type.Object({
		logo_url: Type.Union([Type.String(), Type.Null()]),
		colour: Type.Union([Type.String(), Type.Null()]),
	}),
	time_zone: Type.String(),
	currency: Type.String(),
	locale: Type.String(),
	outlet_isolation: Type.Optional(OutletIsolation),
});
export type PublicTenant = Static<typeof PublicTenant>;

/** An outlet with all its settings, as its tenant's administrators and other services see it. */
export const Outlet = Type.Object({
	id: Uuid,
	code: Type.String(),
	name: Type.String(),
	use_case: OutletUseCase,
	is_hq: Type.Boolean(),
	status: Type.String(),
	settings: Type.Record(Type.String(), Type.Unknown()),
});
export type Outlet = Static<typeof Outlet>;

/**
 * An outlet as anybody may see it: `GET /api/v1/tenants/{slug}/outlets` (spec §2.2, §4.1). Its settings are the public ones
 * of its use case.
 */
export const PublicOutlet = Type.Object(Outlet.properties);
export type PublicOutlet = Static<typeof PublicOutlet>;
