/**
 * The permissions of an administrator of the measured service: its own modules and those of every service.
 */
export const permissions = [
	...["add", "change", "delete", "manage", "view"].map((action) => `stock.things.${action}`),
	...["add", "change", "delete", "manage", "view"].map((action) => `stock.shelves.${action}`),
	...["add", "change", "manage", "view"].map((action) => `stock.counts.${action}`),
	...["config", "roles", "api_keys"].flatMap((module) => [`stock.${module}.manage`, `stock.${module}.view`]),
	...["permissions", "users", "audit"].map((module) => `stock.${module}.view`),
];
