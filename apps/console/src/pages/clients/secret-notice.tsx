import { Notice } from "@lango/interface";
import { CopiedText } from "../../forms/copied-text.tsx";
import { useClientTexts } from "./texts.ts";

/** A secret, shown this once. */
export function SecretNotice({ secret }: { secret: string }) {
	const words = useClientTexts();
	return (
		<Notice kind="heed">
			<p className="mb-4">{words.secretOnce}</p>
			<CopiedText label={words.secret} value={secret} copy={words.copy} copied={words.copied} />
		</Notice>
	);
}
