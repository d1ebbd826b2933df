import Type, { type Static } from "typebox";
import { OutletUseCase } from "../access.ts";
import { Slug, Uuid } from "../values/shape.ts";

/**
 * Whether people who are limited to outlets can read rows of other outlets when they select no outlet:
 * `strict` no, `open` yes. Changes are limited to the person's outlets in both modes. Missing means `strict`
 * (older releases).
 */
export const outletIsolations = ["strict", "open"] as const;
export const OutletIsolation = Type.Enum(outletIsolations, { type: "string" });
export type OutletIsolation = (typeof outletIsolations)[number];

/** A public tenant: `GET /api/v1/tenants/by-slug/{slug}` (spec §4.1). */
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

/** An outlet with all its settings, for its tenant's administrators and other services. */
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
 * A public outlet: `GET /api/v1/tenants/{slug}/outlets` (spec §2.2, §4.1), with the public settings of its
 * use case.
 */
export const PublicOutlet = Type.Object(Outlet.properties);
export type PublicOutlet = Static<typeof PublicOutlet>;
