import { Notice } from "@lango/interface";
import { CopiedText } from "../../fields/copied-text.tsx";
import { useClientTexts } from "./texts.ts";

/** A secret, shown this once. */
export function SecretNotice({ secret }: { secret: string }) {
	const words = useClientTexts();
	return (
		<Notice kind="heed">
			<p className="mb-1">{words.secretOnce}</p>
			<CopiedText label={words.secret} text={secret} />
		</Notice>
	);
}
