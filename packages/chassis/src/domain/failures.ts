import { defineFailures } from "../failure.ts";

/** What every domain service refuses besides what the chassis refuses everywhere. */
export const domainFailures = defineFailures({
	tenant_inactive: ["forbidden", "This tenant is not active."],
	outlet_not_found: ["not_found", "There is no such outlet."],
	config_value_too_large: ["invalid_input", "The value is longer than 8 KB."],
	config_full: ["conflict", "There are as many settings as one tenant may have. Remove one first."],
	permission_unknown: ["invalid_input", "There is no such permission in this service."],
	exceeds_own_rights: ["forbidden", "Nobody gives, changes or takes away more than they may do themselves."],
	role_exists: ["conflict", "There is a role of this name already."],
	role_is_system: ["conflict", "This role comes with the service. Make one of your own beside it."],
	role_in_use: ["conflict", "Somebody has this role. Take it back first."],
	roles_full: ["conflict", "There are as many roles as one tenant may have. Remove one first."],
	first_role: [
		"conflict",
		"This role follows from what the person is in the tenant. Assign another in its place.",
	],
	assignments_full: ["conflict", "The person has as many roles as one may have. Take one back first."],
	last_administrator: ["conflict", "Nobody would be left who may assign roles in this tenant."],
	person_required: ["forbidden", "Only a person can create API keys. Sign in to create one."],
	api_keys_full: ["conflict", "There are as many keys as one tenant may have. Revoke one first."],
});
