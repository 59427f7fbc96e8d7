package harness

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Nginx is nginx serving files.
type Nginx struct {
	*Process
	URL string
}

// nginxConf sets nginx up for speed: a worker for each core, large buffers, open
// files cached, no logs, connections kept open.
const nginxConf = `
USER
worker_processes CORES;
daemon off;
pid DIR/pid;
error_log DIR/error.log;
events { worker_connections 1024; multi_accept on; }
http {
  access_log off;
  default_type application/json;
  sendfile off;
  tcp_nodelay on;
  output_buffers 2 256k;
  keepalive_timeout 3600s;
  keepalive_requests 1000000000;
  client_body_buffer_size 256k;
  client_body_temp_path DIR/body;
  proxy_temp_path DIR/proxy;
  fastcgi_temp_path DIR/fastcgi;
  uwsgi_temp_path DIR/uwsgi;
  scgi_temp_path DIR/scgi;
  open_file_cache max=10000 inactive=3600s;
  open_file_cache_valid 3600s;
  server {
    listen ADDR backlog=1024;
LOCATIONS
  }
}
`

// Nginx starts nginx with location blocks.
func (r *Run) Nginx(ctx context.Context, locations string) (*Nginx, error) {
	tool, err := r.Tool(ctx, "nginx", "-v")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(r.Dir, "nginx-")
	if err != nil {
		return nil, fmt.Errorf("set up nginx: %w", err)
	}
	addr, err := FreePort()
	if err != nil {
		return nil, err
	}
	user := ""
	if os.Getuid() == 0 {
		user = "user root;" // otherwise its workers might not be able to read our files
	}
	conf := strings.NewReplacer("USER", user, "CORES", fmt.Sprint(runtime.NumCPU()), "DIR", dir, "ADDR", addr, "LOCATIONS", locations).
		Replace(nginxConf)
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(conf), 0o644); err != nil {
		return nil, fmt.Errorf("set up nginx: %w", err)
	}
	p, err := r.Start("nginx", exec.Command(tool, "-p", dir, "-c", file, "-e", filepath.Join(dir, "error.log")))
	if err != nil {
		return nil, err
	}
	return &Nginx{p, "http://" + addr}, p.Await(ctx, StartTimeout, func() bool { return accepts("tcp", addr) })
}
