import Type from "typebox";
import { Uuid } from "../values/shape.ts";
import { DateTime, event, OrNull, Version } from "./event.ts";

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
