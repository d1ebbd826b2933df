import { failures } from "../failures.ts";

const passwordLengthMin = 8;
/** In characters; a longer one is refused before it is hashed. */
export const passwordLengthMax = 128;

/**
 * The most common passwords of at least eight characters, in lower case. The list is short because failures
 * are limited, too.
 */
const commonest: ReadonlySet<string> = new Set(
	`password password1 password12 password123 password1234 password! passw0rd p@ssword p@ssw0rd p@ssw0rd1 12345678 123456789
	1234567890 12345678910 0123456789 0987654321 87654321 987654321 123123123 1234512345 12341234 11223344 1q2w3e4r 1q2w3e4r5t
	1qaz2wsx qwertyui qwertyuiop qwerty12 qwerty123 qwerty1234 asdfghjkl asdf1234 zxcvbnm123 abcd1234 abc12345 abcdefgh a1b2c3d4
	iloveyou iloveyou1 letmein1 letmein123 welcome1 welcome123 admin123 admin1234 administrator administrator1 changeme changeme1
	changeme123 default1 football football1 baseball basketball superman superman1 princess princess1 sunshine sunshine1 trustno1
	computer internet starwars whatever michelle jennifer dragon123 monkey123 master123 shadow123 secret123 test1234 testtest
	temp1234 guest123 user1234 login123 qazwsxedc 1234qwer qwer1234 zaq12wsx q1w2e3r4 q1w2e3r4t5 november december september
	mombasa1 nairobi1 nairobi123 kenya123 kenya254 karibu123 jambo123`.split(/\s+/),
);

/**
 * Refuses a weak password: fewer than 8 or more than 128 characters, the person's own address or the part
 * of it before the @, one repeated character, or one of the most common ones. Throws `password_weak`,
 * naming the field and the reason.
 */
export function requireStrongPassword(
	password: string,
	{ email, field }: { email: string; field: string },
): void {
	const reason = weaknessOf(password, email);
	if (reason === undefined) return;
	throw failures.password_weak({
		message: `This password is too weak: ${reason}.`,
		fields: { field, in: "body" },
	});
}

/** The reason why a password is weak; undefined if it is not. */
export function weaknessOf(password: string, email: string): string | undefined {
	const characters = [...password.normalize("NFKC")];
	if (characters.length < passwordLengthMin) return `it has fewer than ${passwordLengthMin} characters`;
	if (characters.length > passwordLengthMax || [...password].length > passwordLengthMax)
		return `it has more than ${passwordLengthMax} characters`;
	const folded = password.normalize("NFKC").trim().toLowerCase();
	const address = email.normalize("NFKC").trim().toLowerCase();
	if (folded === address || folded === address.split("@")[0]) return "it is the e-mail address";
	if (new Set(characters).size === 1) return "it is one character over and over";
	return commonest.has(folded) ? "it is one of the commonest there are" : undefined;
}
