/**
 * Creates one of each thing that a domain service stores for a tenant besides people and outlets: a setting,
 * a role with this permission, its assignment to a known person, a key, and their audit entries. `call` sends
 * a request as an administrator, under the service's base.
 */
export async function fillAccess(
	call: (method: "PUT" | "POST", path: string, body: object) => Promise<unknown>,
	{ subject, permission }: { subject: string; permission: string },
): Promise<void> {
	await call("PUT", "config", { key: "theme", value: "dark" });
	await call("POST", "roles", { code: "keeper", permissions: [permission] });
	await call("POST", "roles/keeper/assignments", { user_id: subject });
	await call("POST", "api-keys", { name: "program", permissions: [] });
}
