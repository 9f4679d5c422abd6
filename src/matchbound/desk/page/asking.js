// Requests to the server: an answer, or an error with its sentence.

let labeller = "";

export function nameLabeller(name) {
  labeller = name;
}

export function get(path, asked = {}) {
  return answered(fetch(`/api/${path}?${new URLSearchParams({ labeller, ...asked })}`));
}

export function post(path, asked = {}) {
  return answered(fetch(`/api/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ labeller, ...asked }),
  }));
}

async function answered(request) {
  let response;
  try {
    response = await request;
  } catch {
    throw new Error("The server does not answer, so nothing more is saved. Start it again and open the address that it prints.");
  }
  const answer = await response.json().catch(() => ({ error: `The server answered ${response.status}.` }));
  if (!response.ok) throw new Error(answer.error);
  return answer;
}
