import { Notice } from "@lango/interface";
import { CopiedText } from "../../fields/copied-text.tsx";
import { useClientTexts } from "./texts.ts";

/** Shows a secret once. */
export function SecretNotice({ secret }: { secret: string }) {
	const words = useClientTexts();
	return (
		<Notice kind="warning">
			<p className="mb-1">{words.secretOnce}</p>
			<CopiedText label={words.secret} text={secret} />
		</Notice>
	);
}
