import type pg from "pg";

/** A policy of row-level security as `pg_policy` has it. */
export type Policy = {
	table: string;
	name: string;
	permissive: boolean;
	/** `*` for all commands, else the letter of one: `r`, `a`, `w` or `d`. */
	command: string;
	/** The roles that it names; none for `public`. */
	roles: readonly string[];
	/** Whether it applies to a role to which a restrictive policy of its table applies, too. */
	meets_restrictive: boolean;
	using: string | null;
	with_check: string | null;
};

/** The policies of the tables. */
export async function listPolicies(client: pg.Client, tables: readonly string[]): Promise<Policy[]> {
	const { rows } = await client.query<Policy>(
		`select p.polrelid::regclass::text as table, p.polname as name, p.polpermissive as permissive,
		   p.polcmd as command,
		   array(select pg_get_userbyid(role) from unnest(p.polroles) role where role <> 0)::text[] as roles,
		   exists (
		     select from pg_policy r join pg_roles person on not person.rolsuper
		      where r.polrelid = p.polrelid and not r.polpermissive
		        and exists (select from unnest(r.polroles) role where role = 0 or pg_has_role(person.oid, role, 'usage'))
		        and exists (select from unnest(p.polroles) role where role = 0 or pg_has_role(person.oid, role, 'usage'))
		   ) as meets_restrictive,
		   pg_get_expr(p.polqual, p.polrelid) as using, pg_get_expr(p.polwithcheck, p.polrelid) as with_check
		 from pg_policy p where p.polrelid = any ($1::text[]::regclass[]) order by 1, 2`,
		[tables],
	);
	return rows;
}

/**
 * Returns the statements that add the condition of each restrictive policy to the other policies of its
 * table, and drop it: the nodes would get it as a permissive one, which shows the rows of all tenants. It is
 * merged only if it is for all commands, names one role and has nothing but a condition (`using`). Throws an
 * Error that names table and policy for any other.
 */
export function mergeRestrictive(policies: readonly Policy[]): string[] {
	const restrictive = policies.filter(({ permissive }) => !permissive);
	const conditions = restrictive.map((policy) => ({ table: policy.table, condition: conditionOf(policy) }));
	const conditionsOf = (table: string) =>
		conditions.filter((added) => added.table === table).map(({ condition }) => condition);
	const altered = policies
		.filter(({ permissive, meets_restrictive }) => permissive && meets_restrictive)
		.map((policy) => withConditions(policy, conditionsOf(policy.table)));
	return [...altered, ...restrictive.map(({ table, name }) => `drop policy ${quoted(name)} on ${table}`)];
}

/** A row passes for a role to which the restrictive policy does not apply, or if it meets the condition. */
function conditionOf(policy: Policy): string {
	const { table, name, command, roles, using, with_check } = policy;
	const [role] = roles;
	const refused = (because: string) =>
		new Error(
			`${table}: the restrictive policy ${name} cannot be merged, because it ${because}: on a cluster each tenant would see the rows of all others. Drop it, or let it be for all commands, to one role, with "using" alone.`,
		);
	if (command !== "*") throw refused("is for one command");
	if (role === undefined) throw refused("is for all roles");
	if (roles.length > 1) throw refused("names several roles");
	if (with_check !== null) throw refused('has a "with check"');
	if (using === null) throw refused('has no "using"');
	return `((${using}) or not pg_has_role('${role.replaceAll("'", "''")}', 'member'))`;
}

function withConditions({ table, name, using, with_check }: Policy, conditions: readonly string[]): string {
	const and = (condition: string) => `(${[`(${condition})`, ...conditions].join(" and ")})`;
	const parts = [
		...(using === null ? [] : [`using ${and(using)}`]),
		...(with_check === null ? [] : [`with check ${and(with_check)}`]),
	];
	return `alter policy ${quoted(name)} on ${table} ${parts.join(" ")}`;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
