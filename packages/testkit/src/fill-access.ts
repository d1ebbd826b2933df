/**
 * Makes one of each thing that every domain service keeps of a tenant besides people and outlets: a setting, a role, an assignment of it
 * to a person whom the service has met, a key, and the audit rows of all that. `call` is made as an administrator, under the service's base.
 */
export async function fillAccess(
	call: (method: "PUT" | "POST", path: string, body: object) => Promise<unknown>,
	subject: string,
): Promise<void> {
	await call("PUT", "config", { key: "theme", value: "dark" });
	await call("POST", "roles", { code: "keeper", permissions: [] });
	await call("POST", "roles/keeper/assignments", { user_id: subject });
	await call("POST", "api-keys", { name: "program", permissions: [] });
}
