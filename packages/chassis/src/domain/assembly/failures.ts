import { defineFailures } from "../../request/failure.ts";

/** The failures of every domain service, in addition to those of the chassis. */
export const domainFailures = defineFailures({
	tenant_inactive: ["forbidden", "This tenant is not active."],
	outlet_not_found: ["not_found", "Outlet not found."],
	config_value_too_large: ["invalid_input", "The value is longer than 8 KB."],
	config_value_invalid: ["invalid_input", "The value is not valid for this setting."],
	config_full: ["conflict", "The limit of settings per tenant is reached. Remove one first."],
	permission_unknown: ["invalid_input", "This service does not have that permission."],
	exceeds_own_rights: ["forbidden", "You cannot grant or revoke permissions that you do not hold."],
	role_exists: ["conflict", "A role with this name already exists."],
	role_is_system: ["conflict", "System roles cannot be changed. Create a role of your own instead."],
	role_in_use: ["conflict", "This role is assigned. Revoke the assignments first."],
	roles_full: ["conflict", "The limit of roles per tenant is reached. Remove one first."],
	first_role: [
		"conflict",
		"This role follows from the person's role in the tenant. Assign another role instead.",
	],
	assignments_full: ["conflict", "The limit of roles per person is reached. Revoke one first."],
	last_administrator: ["conflict", "At least one person must be able to assign roles in this tenant."],
	person_required: ["forbidden", "Only a person can create API keys. Sign in to create one."],
	api_keys_full: ["conflict", "The limit of API keys per tenant is reached. Revoke one first."],
});
