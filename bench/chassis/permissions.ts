/** What an administrator of the bench's service holds: its own modules and those every service has. */
export const permissions = [
	...["add", "change", "delete", "manage", "view"].map((action) => `stock.things.${action}`),
	...["add", "change", "delete", "manage", "view"].map((action) => `stock.shelves.${action}`),
	...["add", "change", "manage", "view"].map((action) => `stock.counts.${action}`),
	...["config", "roles", "api_keys"].flatMap((module) => [`stock.${module}.manage`, `stock.${module}.view`]),
	...["permissions", "users", "audit"].map((module) => `stock.${module}.view`),
];
