import { type Answer, call, demoPassword, signIn } from "./person.ts";

/** The people of the load, prepared before it starts. */
export type LoadPeople = {
	/** The token of the administrator of Uhai Hospital. */
	admin: string;
	/** Members of Uhai whose roles are changed; the hospital knows them. */
	members: ReadonlyArray<{ id: string }>;
};

const membersCount = 4;

/** Prepares them. Throws an Error if the platform refuses. */
export async function preparePeople({
	auth,
	hospital,
}: {
	auth: string;
	hospital: string;
}): Promise<LoadPeople> {
	const admin = tokenIn(required(await signIn(auth, "admin@uhai.example")));
	const body = { join_policy: "open" };
	required(await call(`${auth}/api/v1/tenants/uhai/settings`, { method: "PATCH", token: admin, body }));
	const members: Array<{ id: string }> = [];
	for (let n = 0; n < membersCount; n += 1) {
		const email = `member${n}@uhai.example`;
		const person = { name: `Member ${n}`, email, password: demoPassword };
		const joining = { org_action: "join_existing", tenant_slug: "uhai" };
		const joined = required(await call(`${auth}/api/v1/auth/register`, { body: { ...person, ...joining } }));
		const token = tokenIn(required(await signIn(auth, email)));
		required(await call(`${hospital}/api/v1/uhai/hospital/auth/me`, { token }));
		members.push({ id: String((joined.body["user"] as { id: string }).id) });
	}
	return { admin, members };
}

export const tokenIn = ({ body }: Answer): string => String(body["access_token"]);

function required(answer: Answer): Answer {
	if (answer.status >= 200 && answer.status < 400) return answer;
	throw new Error(`refused: ${answer.status} ${JSON.stringify(answer.body)}`);
}
