type Words = {
	accounts: Readonly<Record<string, string>>;
	mobile: string;
	suspenseOf: (shortcode: string) => string;
};

/** The name of an account of the ledger, for example `tenant.pending` or `suspense.600200`. */
export function nameAccount(code: string, { accounts, mobile, suspenseOf }: Words): string {
	if (code === "tenant.mobile") return mobile;
	const [kind = code, name] = code.split(".", 2);
	if (kind === "suspense" && name !== undefined) return suspenseOf(name);
	return accounts[kind === "tenant" && name !== undefined ? name : kind] ?? code;
}
