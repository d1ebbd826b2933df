import Type from "typebox";
import { OutletIsolation } from "../tenants/tenant.ts";
import { Uuid } from "../values/shape.ts";
import { event, OrNull, Version } from "./event.ts";

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
