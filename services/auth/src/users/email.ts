/** An address as it is compared: NFKC, lower case, no blanks around it. */
export function foldEmail(email: string): string {
	return email.normalize("NFKC").trim().toLowerCase();
}
